import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ModelDetector,
  detectFormat,
  detectModel,
  inspectedLength,
  isKimiModel,
  rememberedNames,
} from '../../src/formats/detect.ts'
import type { FormatId } from '../../src/formats/format-id.ts'
import { formatIds, resolveFormatId } from '../../src/formats/format-id.ts'
import { modelNames } from '../../src/formats/model-names.ts'

type Expected = readonly [name: string, format: FormatId, grammar?: string]

const promised: readonly Expected[] = [
  ['moonshot/kimi-k2', 'kimi', 'kimi-k2'],
  ['moonshotai/kimi-k2-0905', 'kimi', 'kimi-k2'],
  ['kimi-k2-instruct', 'kimi', 'kimi-k2'],
  ['KIMI-K2', 'kimi', 'kimi-k2'],
  ['K2-Thinking', 'kimi', 'kimi-k2'],
  ['kimi-k2-0711-preview', 'kimi', 'kimi-k2'],
  ['qwen/qwen3-coder', 'qwen', 'qwen3-coder-xml'],
  ['qwen3-coder-plus', 'qwen', 'qwen3-coder-xml'],
  ['qwen-deepseek-mix', 'qwen'],
  ['deepseek/deepseek-chat', 'deepseek'],
  ['deepseek-r1', 'deepseek', 'deepseek-v3'],
  ['DeepSeek-V3', 'deepseek', 'deepseek-v3'],
  ['claude-3-opus', 'standard'],
  ['gpt-4', 'standard'],
  ['gpt-4o', 'standard'],
  ['unknown/model', 'standard'],
]

const tierOne: readonly Expected[] = [
  ['moonshotai/kimi-k2-thinking', 'kimi', 'kimi-k2'],
  ['moonshotai/Kimi-K2.5', 'kimi', 'kimi-k2'],
  ['moonshotai/kimi-k3', 'kimi', 'kimi-k3'],
  ['kimi-k3-preview', 'kimi', 'kimi-k3'],
  ['kimi-k2-turbo-preview', 'kimi', 'kimi-k2'],
  ['Kimi-Linear-48B-A3B-Instruct', 'kimi', 'kimi-k2'],
  ['kimi-latest', 'kimi'],
  ['kimi-for-coding', 'kimi'],
  ['moonshot-v1-128k', 'kimi'],
  ['moonshotai/Moonlight-16B-A3B-Instruct', 'kimi'],
  ['my-kimi-tune', 'kimi'],
  ['Qwen/Qwen2.5-7B-Instruct', 'qwen', 'hermes-json'],
  ['Qwen/Qwen3-0.6B', 'qwen', 'hermes-json'],
  ['qwen3-235b-a22b-2507', 'qwen', 'hermes-json'],
  ['qwen/qwen3-next-80b-a3b-instruct', 'qwen', 'hermes-json'],
  ['qwen3-vl-30b', 'qwen', 'hermes-json'],
  ['qwen3-max', 'qwen', 'hermes-json'],
  ['Qwen/QwQ-32B', 'qwen', 'hermes-json'],
  ['Qwen2.5-Coder-32B-Instruct', 'qwen', 'hermes-json'],
  ['qwen/qwen3-coder-next', 'qwen', 'qwen3-coder-xml'],
  ['qwen-3-coder-480b', 'qwen', 'qwen3-coder-xml'],
  ['qwen/qwen3.5-397b-a17b', 'qwen', 'qwen3-coder-xml'],
  ['Qwen4-Coder', 'qwen', 'qwen3-coder-xml'],
  ['qwen-plus', 'qwen'],
  ['deepseek/deepseek-chat-v3-0324', 'deepseek', 'deepseek-v3'],
  ['deepseek/deepseek-r1-0528', 'deepseek', 'deepseek-v3'],
  ['deepseek/deepseek-chat-v3.1', 'deepseek', 'deepseek-v3.1'],
  ['deepseek/deepseek-v3.1-terminus', 'deepseek', 'deepseek-v3.1'],
  ['deepseek-ai/DeepSeek-V3.2', 'deepseek', 'deepseek-dsml'],
  ['deepseek/deepseek-v4-pro', 'deepseek', 'deepseek-dsml'],
  ['DeepSeek-V4-Flash-0731', 'deepseek', 'deepseek-dsml'],
  ['deepseek-reasoner', 'deepseek'],
  ['deepseek-coder-v2', 'deepseek'],
  ['tngtech/deepseek-r1t2-chimera', 'deepseek', 'deepseek-v3'],
  ['z-ai/glm-4.5-air', 'glm', 'glm-xml'],
  ['zai-org/GLM-4.6', 'glm', 'glm-xml'],
  ['THUDM/GLM-4.5', 'glm', 'glm-xml'],
  ['glm-4.7-flash', 'glm', 'glm-xml'],
  ['GLM-5.2', 'glm', 'glm-xml'],
  ['z-ai/glm-latest', 'glm'],
  ['openai/gpt-oss-120b', 'gpt-oss', 'harmony'],
  ['openai/gpt-oss-safeguard-20b', 'gpt-oss', 'harmony'],
  ['minimax/minimax-m2', 'minimax', 'minimax-m2-xml'],
  ['MiniMaxAI/MiniMax-M2.5', 'minimax', 'minimax-m2-xml'],
  ['minimax/minimax-m3', 'minimax', 'minimax-m3-xml'],
  ['mm-m3', 'minimax', 'minimax-m3-xml'],
]

const otherFamilies: readonly Expected[] = [
  ['google/gemma-4-31B-it', 'gemma', 'gemma4'],
  ['google/functiongemma-270m-it', 'gemma', 'functiongemma'],
  ['google/gemma-3-27b-it', 'gemma'],
  ['mistralai/Mistral-Small-3.2-24B-Instruct-2506', 'mistral', 'mistral-args'],
  ['mistralai/Mistral-Nemo-Instruct-2407', 'mistral', 'mistral-array'],
  ['mistralai/Mistral-Large-Instruct-2407', 'mistral', 'mistral-array'],
  ['mistral-large-latest', 'mistral'],
  ['mixtral-8x22b', 'mistral', 'mistral-array'],
  ['mistralai/voxtral-small', 'mistral'],
  ['meta-llama/Llama-3.1-8B-Instruct', 'llama', 'llama3-json'],
  ['Llama-3.2-3B-Instruct', 'llama', 'llama3-json'],
  ['meta-llama-3-70b', 'llama'],
  ['meta-llama/Llama-Guard-3-8B', 'llama'],
  ['Team-ACE/ToolACE-2-Llama-3.1-8B', 'pythonic', 'pythonic-bare'],
  ['ibm-granite/granite-4.0-h-small', 'granite', 'hermes-json'],
  ['granite3.3:8b', 'granite', 'granite-array'],
  ['granite-20b-functioncalling', 'granite', 'granite-20b-fc'],
  ['granite-34b-code-instruct', 'granite'],
  ['cohere/command-a-03-2025', 'cohere', 'cohere-action'],
  ['command-a', 'cohere', 'cohere-action'],
  ['command-a-reasoning-08-2025', 'cohere', 'cohere-action'],
  ['CohereForAI/c4ai-command-r7b-12-2024', 'cohere', 'cohere-action'],
  ['c4ai-command-r-plus', 'cohere', 'cohere-r-plus'],
  ['command-r:35b', 'cohere', 'cohere-r-plus'],
  ['command-r-08-2024', 'cohere', 'cohere-r-plus'],
  ['mlx-community/North-Mini-Code-1.0-4bit', 'cohere', 'cohere-action'],
  ['CohereLabs/aya-expanse-8b', 'cohere'],
  ['ByteDance-Seed/Seed-OSS-36B-Instruct', 'seed', 'seed-oss-xml'],
  ['tencent/Hy3-preview', 'hunyuan', 'hunyuan3-xml'],
  ['tencent/Hunyuan-A13B-Instruct', 'hunyuan', 'apriel'],
  ['hunyuan-large', 'hunyuan'],
  ['ServiceNow-AI/Apriel-1.6-15b-Thinker', 'apriel', 'apriel'],
  ['swiss-ai/Apertus-8B-Instruct-2509', 'apertus', 'apertus'],
  ['LiquidAI/LFM2.5-8B-A1B', 'lfm', 'lfm2-pythonic'],
  ['liquid/lfm-40b', 'lfm'],
  ['muse-glimmer', 'muse', 'muse-glimmer'],
  ['openbmb/MiniCPM5-1B', 'minicpm', 'minicpm5-xml'],
  ['upstage/solar-open-100b', 'solar', 'solar-open'],
  ['ai-sage/GigaChat3-10B-A1.8B', 'gigachat', 'gigachat3'],
  ['GigaChat3.1-10B-A1.8B', 'gigachat', 'gigachat3.1'],
  ['GigaChat-2-Max', 'gigachat'],
  ['nvidia/NVIDIA-Nemotron-Nano-9B-v2', 'nemotron', 'nemotron-toolcall'],
  ['microsoft/Phi-4-mini-instruct', 'phi', 'functools'],
  ['phi4:14b', 'phi', 'functools'],
  ['meetkai/functionary-medium-v3.1', 'functionary', 'functionary-v3.1'],
  ['functionary-small-v3.2-GGUF', 'functionary', 'functionary-v3.2'],
  ['functionary-7b-v2', 'functionary'],
  ['internlm/internlm2_5-7b-chat', 'internlm', 'internlm2'],
  ['internlm/Intern-S1', 'internlm', 'internlm2'],
  ['Salesforce/xLAM-2-32b-fc-r', 'xlam', 'xlam-array'],
  ['ai21/jamba-large-1.7', 'jamba', 'apriel'],
  ['baidu/ERNIE-4.5-21B-A3B-Thinking', 'ernie', 'hermes-json'],
  ['stepfun-ai/step3', 'step'],
  ['stepfun/step-3', 'step'],
  ['meituan/longcat-flash-chat', 'longcat'],
  ['allenai/Olmo-3-32B-Think', 'olmo'],
  ['olmo-3.1:32b', 'olmo'],
  ['inkling-large', 'inkling'],
  ['rednote-hilab/dots.llm1.inst', 'dots'],
  ['poolside/laguna-xs.2', 'glm', 'glm-xml'],
  ['inclusionAI/Ling-1T', 'glm', 'glm-xml'],
  ['inclusionAI/Ring-2.6', 'glm', 'glm-xml'],
  ['inclusionAI/Ling-3.0-flash', 'glm', 'glm-xml'],
  ['deepseek-ai/DeepSeek-V4.1-Flash', 'deepseek', 'deepseek-v4.1'],
  ['deepseek-v4.1', 'deepseek', 'deepseek-v4.1'],
  ['zai-org/GLM-5.3-Flash', 'glm', 'glm-name-json'],
  ['tencent/hy4-preview', 'hunyuan', 'hunyuan4-xml'],
  ['meituan-longcat/LongCat-2.0', 'longcat', 'longcat-xml'],
  ['meituan-longcat/LongCat-Flash-Lite', 'longcat', 'longcat-xml'],
  ['longcat-next', 'longcat', 'longcat-xml'],
  ['openrouter/owl-alpha', 'longcat', 'longcat-xml'],
  ['IFM/K2-Horizon-375B-A23B', 'k2-horizon', 'k2-horizon'],
  ['K2-V3', 'k2-horizon', 'k2-horizon'],
  ['XHToken/Spark-X2.5-4B', 'spark', 'glm-xml'],
  ['ai-sage/GigaChat3.5-432B-A28B', 'gigachat', 'gigachat3.5'],
  ['upstage/solar-open-2', 'solar', 'solar-open-2'],
  ['naver-hyperclovax/HyperCLOVAX-SEED-Think-32B', 'hyperclova', 'glm-xml'],
  ['HyperCLOVAX-SEED-Think-14B', 'hyperclova', 'hyperclova-message'],
  ['TeleChat4-36B', 'telechat', 'telechat4-xml'],
  ['xing4-large', 'telechat', 'telechat4-xml'],
  ['xingchen4', 'telechat', 'telechat4-xml'],
  ['openPangu-Embedded-7B', 'pangu', 'openpangu'],
  ['pfnet/plamo-3-nict-8b', 'plamo', 'plamo3'],
  ['IQuest-Q1', 'iquest', 'iquest-xml'],
  ['IQuest-Coder-V2-40B', 'iquest', 'iquest-xml'],
  ['sbintuitions/sarashina2.2-3b-instruct', 'sarashina', 'sarashina'],
  ['miromind-ai/MiroThinker-v1.0-72B', 'mirothinker', 'use-mcp-tool'],
  ['facebook/cwm', 'cwm', 'cwm'],
  ['openbmb/MiniCPM4-8B', 'minicpm', 'minicpm5-xml'],
  ['swiss-ai/Apertus-1.5-8B', 'apertus', 'apertus'],
  ['stepfun-ai/Step-Audio-2-mini', 'step', 'step-audio-2'],
]

const borrowedSyntax: readonly Expected[] = [
  ['IQuest-Coder-V1-40B', 'qwen', 'qwen3-coder-xml'],
  ['BerryLM-OS-8B', 'qwen', 'qwen3-coder-xml'],
  ['Nanbeige/Nanbeige4-3B', 'qwen', 'qwen3-coder-xml'],
  ['ornith:9b', 'qwen', 'qwen3-coder-xml'],
  ['internlm/Intern-S2-Preview', 'qwen', 'qwen3-coder-xml'],
  ['Aleph-Alpha/Kolibri-1', 'hermes', 'hermes-json'],
  ['RWKV/rwkv7-g1', 'hermes', 'hermes-json'],
  ['NousResearch/Hermes-4-70B', 'hermes', 'hermes-json'],
  ['hermes3:8b', 'hermes', 'hermes-json'],
  ['HuggingFaceTB/SmolLM3-3B', 'hermes', 'hermes-json'],
  ['LGAI-EXAONE/EXAONE-4.0-32B', 'hermes', 'hermes-json'],
  ['RekaAI/reka-edge', 'hermes', 'hermes-json'],
  ['speakleash/Bielik-11B-v3.0-Instruct', 'hermes', 'hermes-json'],
  ['arcee-ai/trinity-large-preview', 'hermes', 'hermes-json'],
  ['XiaomiMiMo/MiMo-7B-RL', 'hermes', 'hermes-json'],
  ['xiaomi/mimo-v2-flash', 'qwen', 'qwen3-coder-xml'],
  ['nvidia/nemotron-3-super-120b-a12b', 'qwen', 'qwen3-coder-xml'],
  ['nvidia/nemotron-3.5-nano', 'qwen', 'qwen3-coder-xml'],
  ['nvidia.nemotron-nano-3-30b', 'qwen', 'qwen3-coder-xml'],
  ['stepfun/step-3.5-flash', 'qwen', 'qwen3-coder-xml'],
  ['step3p7-flash', 'qwen', 'qwen3-coder-xml'],
  ['LGAI-EXAONE/K-EXAONE-2.0-32B', 'qwen', 'qwen3-coder-xml'],
  ['fireworks/firefunction-v2', 'phi', 'functools'],
  ['deepcogito/cogito-v2-preview-deepseek-671b', 'deepseek', 'deepseek-v3'],
  ['cogito-v2.1', 'deepseek', 'deepseek-v3'],
]

const routes: readonly Expected[] = [
  ['openrouter/moonshotai/kimi-k2', 'kimi', 'kimi-k2'],
  ['accounts/fireworks/models/kimi-k2-instruct', 'kimi', 'kimi-k2'],
  ['accounts/fireworks/models/kimi-k2p5', 'kimi', 'kimi-k2'],
  ['accounts/fireworks/models/deepseek-v3p2', 'deepseek', 'deepseek-dsml'],
  ['accounts/fireworks/models/glm-4p5', 'glm', 'glm-xml'],
  ['accounts/fireworks/models/llama-v3p1-8b-instruct', 'llama', 'llama3-json'],
  ['accounts/fireworks/models/qwen2p5-coder-32b-instruct', 'qwen', 'hermes-json'],
  ['hf:moonshotai/Kimi-K2-Instruct', 'kimi', 'kimi-k2'],
  ['kimi-k2:1t-cloud', 'kimi', 'kimi-k2'],
  ['qwen3:30b', 'qwen', 'hermes-json'],
  ['gpt-oss:20b', 'gpt-oss', 'harmony'],
  ['glm-4.6:cloud', 'glm', 'glm-xml'],
  ['llama3.2:1b', 'llama', 'llama3-json'],
  ['hf.co/unsloth/Qwen3-30B-A3B-GGUF:Q4_K_M', 'qwen', 'hermes-json'],
  ['/models/Qwen3-Coder-30B-Q4_K_M.gguf', 'qwen', 'qwen3-coder-xml'],
  ['C:\\models\\moonshotai\\K2.gguf', 'kimi', 'kimi-k2'],
  ['/cache/hub/models--zai-org--GLM-4.6/snapshots/0a1b', 'glm', 'glm-xml'],
  ['moonshot.kimi-k2-thinking', 'kimi', 'kimi-k2'],
  ['deepseek.r1-v1:0', 'deepseek', 'deepseek-v3'],
  ['us.deepseek.r1-v1:0', 'deepseek', 'deepseek-v3'],
  ['deepseek.v3-v1:0', 'deepseek', 'deepseek-v3.1'],
  ['deepseek.v3.2', 'deepseek', 'deepseek-dsml'],
  ['qwen.qwen3-coder-480b-a35b-v1:0', 'qwen', 'qwen3-coder-xml'],
  ['qwen.qwen3-32b-v1:0', 'qwen', 'hermes-json'],
  ['openai.gpt-oss-120b-1:0', 'gpt-oss', 'harmony'],
  ['us.meta.llama3-3-70b-instruct-v1:0', 'llama', 'llama3-json'],
  ['ai21.jamba-1-5-large-v1:0', 'jamba', 'apriel'],
  ['deepseek-v3-1-250821', 'deepseek', 'deepseek-v3.1'],
  ['openai/moonshotai/kimi-k2', 'kimi', 'kimi-k2'],
]

const vendorsFirst: readonly Expected[] = [
  ['moonshotai/research-preview', 'kimi'],
  ['qwen/teacher-was-kimi', 'qwen'],
  ['deepseek/qwen-mix', 'deepseek'],
  ['openrouter/deepseek/qwen-mix:free', 'deepseek'],
  ['minimax/agent-on-qwen', 'minimax', 'minimax-m2-xml'],
  ['mistralai/leanstral', 'mistral'],
  ['mistralai/qwen-mix', 'mistral'],
  ['ai21/maestro', 'jamba'],
  ['acme/deepseek-on-qwen', 'qwen'],
]

const confusions: readonly Expected[] = [
  ['moonshotai/Kimi-Dev-72B', 'hermes', 'hermes-json'],
  ['moonshotai/Kimi-VL-A3B-Thinking', 'standard'],
  ['LLM360/K2-Chat', 'standard'],
  ['MBZUAI-IFM/K2-Think', 'standard'],
  ['K2-Think', 'standard'],
  ['kimi-k2-think', 'kimi', 'kimi-k2'],
  ['nvidia/Kimi-K2.6-NVFP4', 'kimi', 'kimi-k2'],
  ['mark2', 'standard'],
  ['task2-7b', 'standard'],
  ['k20', 'standard'],
  ['talk2me', 'standard'],
  ['acme_k2_chat', 'kimi', 'kimi-k2'],
  ['deepseek-ai/DeepSeek-R1-Distill-Llama-70B', 'llama', 'llama3-json'],
  ['deepseek/deepseek-r1-distill-qwen-32b', 'qwen'],
  ['deepseek/deepseek-r1-0528-qwen3-8b', 'qwen', 'hermes-json'],
  ['TeichAI/Qwen3-8B-Kimi-K2-Thinking-Distill', 'qwen', 'hermes-json'],
  ['deepseek-r1-distill', 'deepseek', 'deepseek-v3'],
  ['qwen/qwen3.6-35b', 'qwen', 'qwen3-coder-xml'],
  ['Qwen3.8-27B', 'qwen', 'qwen3-coder-xml'],
  ['qwen-72b-chat', 'qwen'],
  ['Qwen3-8B', 'qwen', 'hermes-json'],
  ['deepseek/deepseek-v3.2-exp', 'deepseek', 'deepseek-v3.1'],
  ['DeepSeek-V3-0324-4bit', 'deepseek', 'deepseek-v3'],
  ['DeepSeek-V3.1-NVFP4', 'deepseek', 'deepseek-v3.1'],
  ['deepseek-v3-250324', 'deepseek', 'deepseek-v3'],
  ['MiniMax-M1-80k', 'minimax', 'minimax-m1-jsonl'],
  ['minimax/minimax-m1', 'minimax', 'minimax-m1-jsonl'],
  ['MiniMax-Text-01', 'minimax', 'minimax-m1-jsonl'],
  ['llama-4-maverick', 'llama', 'pythonic-bare'],
  ['meta.llama4-scout-17b-instruct-v1:0', 'llama', 'pythonic-bare'],
  ['llama-3.3-70b-versatile', 'llama', 'llama3-json'],
  ['devstral-small-2507', 'mistral', 'mistral-args'],
  ['magistral-medium', 'mistral', 'mistral-args'],
  ['ministral-3:14b', 'mistral', 'mistral-args'],
  ['ministral-8b-2410', 'mistral', 'mistral-array'],
  ['pixtral-12b', 'mistral'],
  ['codestral-latest', 'mistral'],
  ['acme/astral-7b', 'standard'],
  ['gpt-5-nano', 'standard'],
  ['acme/nano-7b', 'standard'],
  ['openai/gpt-4.1', 'standard'],
  ['acme/command-center-7b', 'standard'],
  ['shell-command-a-lot', 'standard'],
  ['acme/north-star-7b', 'standard'],
  ['poolside/Laguna-S-2.1', 'glm', 'glm-xml'],
  ['THUDM/glm-4-9b-chat', 'standard'],
  ['zai-org/glm-4-32b-0414', 'glm'],
  ['zai-org/GLM-4.1V-9B-Thinking', 'standard'],
  ['glm4:9b', 'standard'],
  ['THUDM/chatglm3-6b', 'standard'],
  ['nemotron-nano-9b-v2', 'nemotron', 'nemotron-toolcall'],
  ['nvidia/Llama-3_3-Nemotron-Super-49B-v1_5', 'nemotron', 'nemotron-toolcall'],
  ['K-EXAONE-236B-A23B', 'hermes', 'hermes-json'],
  ['XiaomiMiMo/MiMo-VL-7B-RL', 'hermes', 'hermes-json'],
  ['NousResearch/Hermes-2-Pro-Llama-3-8B', 'hermes', 'hermes-json'],
  ['NousResearch/Hermes-2-Pro-Mistral-7B', 'hermes', 'hermes-json'],
  ['Salesforce/Llama-xLAM-2-8b-fc-r', 'xlam', 'xlam-array'],
  ['fireworks-ai/llama-3-firefunction-v2', 'phi', 'functools'],
  ['internlm/internlm3-8b-instruct', 'llama', 'llama3-json'],
  ['ollama/mystery', 'standard'],
  ['TinyLlama-1.1B', 'standard'],
  ['open_llama_3b', 'standard'],
  ['codellama-34b', 'standard'],
  ['dolphin-4', 'standard'],
  ['phi-3.5-mini', 'standard'],
  ['eureka-7b', 'standard'],
  ['Starling-LM-7B', 'standard'],
  ['string-2', 'standard'],
  ['twinkling-7b', 'standard'],
  ['bernie-7b', 'standard'],
  ['museum-guide', 'standard'],
  ['checkpoint-step-3', 'standard'],
  ['olmo-2-13b', 'standard'],
  ['MiniCPM-V-4', 'standard'],
  ['solar-10.7b', 'standard'],
  ['smollm2:1.7b', 'standard'],
  ['InternVL3-8B', 'standard'],
]

const everyName = [promised, tierOne, otherFamilies, borrowedSyntax, routes, vendorsFirst, confusions].flat()

describe('detection by name', () => {
  describe.each([
    ['a promised name', promised],
    ['a widely used family', tierOne],
    ['a further family', otherFamilies],
    ['a model that writes the syntax of another family', borrowedSyntax],
    ['a route, a tag, a file or a Bedrock id', routes],
    ['a vendor whose word counts more than the rest of the name', vendorsFirst],
    ['a name that is easily mistaken', confusions],
  ])('%s', (_group, rows) => {
    for (const [name, format, grammar] of rows) {
      it(`${name} is ${format}${grammar === undefined ? '' : `, written as ${grammar}`}`, () => {
        expect(detectFormat(name)).toBe(format)
        expect(detectModel(name).grammar).toBe(grammar)
      })
    }
  })

  it('is the same in any case', () => {
    for (const [name] of everyName) {
      expect(detectModel(name.toUpperCase())).toEqual(detectModel(name))
      expect(detectModel(name.toLowerCase())).toEqual(detectModel(name))
    }
  })

  it.each([
    'deepseek-chat',
    'deepseek/deepseek-reasoner',
    'kimi-latest',
    'kimi-for-coding',
    'qwen-max',
    'gpt-4o',
  ])('gives no grammar for %s, which names no release', (alias) => {
    expect(detectModel(alias)).not.toHaveProperty('grammar')
  })

  it('says which models are Kimi', () => {
    expect(isKimiModel('moonshotai/kimi-k2-thinking')).toBe(true)
    expect(isKimiModel('moonshotai/Kimi-Dev-72B')).toBe(false)
    expect(isKimiModel('qwen3-coder')).toBe(false)
  })

  it.each(['', ' ', '__proto__', 'constructor', '模型', '\ud800', '🦙', '/', '...', '*'])(
    'takes %j for a model without a format',
    (name) => {
      expect(detectModel(name)).toEqual({ format: 'standard' })
    },
  )

  it.each([
    'gpt-4o',
    'GPT-4.1-mini',
    'gpt-3.5-turbo',
    'gpt-35-turbo',
    'gpt-5-nano',
    'gpt-5.1-codex',
    'gpt-10',
    'openai/gpt-4o',
    'openrouter/openai/gpt-5',
    'ft:gpt-4o-mini-2024-07-18:acme::abc',
    'chatgpt-4o-latest',
    'o1',
    'o1-mini',
    'openai/o3',
    'o4-mini-high',
    'google/gemini-2.5-pro',
    'gemini-3-flash',
    'x-ai/grok-4',
    'grok-code-fast-1',
    'K2-Think',
  ])('says of %s that it is standard because the name tells it', (name) => {
    expect(detectModel(name)).toEqual({ format: 'standard', isTold: true })
  })

  it.each([
    'claude-sonnet-4-5',
    'anthropic/claude-opus-4',
    'gpt-13b',
    'gpt-4b',
    'gpt-j-6b',
    'gpt4all',
    'cerebras-gpt-13b',
    'o1x',
    'marco-o1',
    'acme/o1-tune',
    'foo1',
    'my-gemini',
    'openai/mystery',
  ])('says of %s that nothing tells what it is', (name) => {
    expect(detectModel(name)).toEqual({ format: 'standard' })
  })

  it.each([
    ['gpt-oss-120b', 'gpt-oss'],
    ['openai/gpt-oss-20b', 'gpt-oss'],
    ['Qwen3-4B-Gemini-2.5-Flash-Distill', 'qwen'],
    ['deepseek-r1-gpt-4o', 'deepseek'],
  ])('keeps %s in the family %s, whatever else the name says', (name, format) => {
    expect(detectFormat(name)).toBe(format)
  })

  it('gives a known format for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (name) => {
        expect(formatIds).toContain(detectFormat(name))
      }),
    )
  })
})

describe('the table of names', () => {
  it('leads to each of its formats from a name above', () => {
    const reached = new Set(everyName.map(([name]) => detectFormat(name)))
    const named = new Set(modelNames.map((row) => row.format))
    expect([...named].filter((format) => !reached.has(format))).toEqual([])
  })

  it('names every format but those that are asked for by name only', () => {
    const named = new Set(modelNames.map((row) => row.format))
    expect(formatIds.filter((format) => !named.has(format))).toEqual(['anthropic', 'xml', 'lm-studio'])
  })

  it('keeps no position between two names', () => {
    expect(modelNames.filter(({ pattern }) => pattern.global || pattern.sticky)).toEqual([])
  })
})

describe('overrides', () => {
  it('win over the name', () => {
    expect(detectFormat('qwen3-coder', { 'qwen3-coder': 'kimi' })).toBe('kimi')
  })

  it('carry no grammar of the format they replace', () => {
    const detected = detectModel('qwen3-coder', { 'qwen3-coder': 'kimi' })
    expect(detected).toEqual({ format: 'kimi', isOverride: true })
  })

  it('that say standard tell it', () => {
    const detected = detectModel('my-tune', { 'my-*': 'standard' })
    expect(detected).toEqual({ format: 'standard', isTold: true, isOverride: true })
  })

  it('are told apart from the name, also where both say the same', () => {
    expect(detectModel('kimi-k2', { 'kimi-*': 'kimi' }).isOverride).toBe(true)
    expect(detectModel('kimi-k2', { 'my-*': 'kimi' }).isOverride).toBeUndefined()
  })

  it('match in any case', () => {
    expect(detectFormat('MY-Private-Finetune', { 'my-private-FINETUNE': 'kimi' })).toBe('kimi')
  })

  it('match the whole name only', () => {
    expect(detectFormat('acme/my-tune', { 'my-tune': 'kimi' })).toBe('standard')
    expect(detectFormat('my-tune-2', { 'my-tune': 'kimi' })).toBe('standard')
  })

  it('leave other names to detection', () => {
    expect(detectModel('qwen3-coder', { 'my-tune': 'kimi' })).toEqual(detectModel('qwen3-coder'))
    expect(detectModel('qwen3-coder', {})).toEqual(detectModel('qwen3-coder'))
  })

  it('are tried in order, exact names and globs alike', () => {
    expect(detectFormat('my-tune', { 'my-*': 'glm', 'my-tune': 'kimi' })).toBe('glm')
    expect(detectFormat('my-tune', { 'my-tune': 'kimi', 'my-*': 'glm' })).toBe('kimi')
  })

  it.each([
    ['my-*', 'my-tune', true],
    ['my-*', 'my-', true],
    ['*-tune', 'acme/my-tune', true],
    ['acme/*-tune-*', 'acme/my-tune-7b', true],
    ['*', '', true],
    ['**', 'x', true],
    ['a*a', 'aa', true],
    ['a*a', 'a', false],
    ['a*b*b', 'ab', false],
    ['*x*y*', 'yx', false],
    ['my-*', 'not-my-tune', false],
    ['m.del', 'model', false],
    ['model[1]', 'model1', false],
  ])('%s against %j: %s', (glob, name, matches) => {
    expect(detectFormat(name, { [glob]: 'inkling' })).toBe(matches ? 'inkling' : 'standard')
  })

  it('may be keyed __proto__, as JSON can say', () => {
    const overrides: Record<string, FormatId> = JSON.parse('{"__proto__": "kimi"}')
    expect(detectFormat('__proto__', overrides)).toBe('kimi')
    expect(detectFormat('constructor', overrides)).toBe('standard')
  })

  it('do not leak from one set to another, nor to detection without any', () => {
    const first = { 'shared-name': 'kimi' } as const
    const second = { 'shared-name': 'glm' } as const
    for (let round = 0; round < 2; round++) {
      expect(detectFormat('shared-name', first)).toBe('kimi')
      expect(detectFormat('shared-name', second)).toBe('glm')
      expect(detectFormat('shared-name')).toBe('standard')
    }
  })

  it('match globs as a regular expression would', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
    const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
    fc.assert(
      fc.property(letters, names, (glob, name) => {
        const matches = new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(name)
        expect(detectFormat(name, { [glob]: 'inkling' })).toBe(matches ? 'inkling' : 'standard')
      }),
    )
  })
})

describe('the memory of names', () => {
  it('answers a second time what it answered first', () => {
    const detector = new ModelDetector({ mine: 'kimi' })
    for (const name of ['mine', 'qwen3-coder', 'unknown']) {
      expect(detector.detect(name)).toBe(detector.detect(name))
    }
    expect(detector.remembered).toBe(3)
  })

  it('stays bounded however many names clients invent, and stays right', () => {
    const detector = new ModelDetector({})
    for (let n = 0; n < rememberedNames * 3; n++) {
      expect(detector.detect(`kimi-k2-${n}`).format).toBe('kimi')
      expect(detector.remembered).toBeLessThanOrEqual(rememberedNames)
    }
    expect(detector.detect('kimi-k2-0').format).toBe('kimi')
  })

  it('does not keep names longer than what is inspected', () => {
    const detector = new ModelDetector({})
    detector.detect('x'.repeat(inspectedLength))
    detector.detect('x'.repeat(inspectedLength + 1))
    expect(detector.remembered).toBe(1)
  })
})

describe('long names', () => {
  it('are judged by their end, where a path names its file', () => {
    expect(detectFormat(`${'/very/long/path'.repeat(100)}/Qwen3-Coder-30B.gguf`)).toBe('qwen')
    expect(detectFormat(`kimi-k2${'x'.repeat(inspectedLength)}`)).toBe('standard')
  })

  it('still match overrides as a whole', () => {
    const name = 'a'.repeat(1000)
    expect(detectFormat(name, { [name]: 'kimi' })).toBe('kimi')
    expect(detectFormat(name, { 'a*b': 'kimi' })).toBe('standard')
  })

  it.each(['distill', 'deepseek-', 'functionary', 'command-', 'stral-', 'glm-4', '-', '_', '1p'])(
    'made of nothing but %j cost no more than short ones',
    (piece) => {
      const name = piece.repeat(100_000)
      const started = performance.now()
      for (let n = 0; n < 100; n++) detectFormat(name)
      expect((performance.now() - started) / 100).toBeLessThan(5)
    },
  )

  it('cannot make a glob of many stars slow', () => {
    const overrides = { [`${'*a'.repeat(30)}*b`]: 'kimi' } as const
    const started = performance.now()
    expect(detectFormat('a'.repeat(100_000), overrides)).toBe('standard')
    expect(performance.now() - started).toBeLessThan(200)
  })
})

describe('format names as users write them', () => {
  it.each(formatIds)('%s names itself', (id) => {
    expect(resolveFormatId(id)).toBe(id)
    expect(resolveFormatId(` ${id.toUpperCase()}\n`)).toBe(id)
  })

  it('openai is standard', () => {
    expect(resolveFormatId('OpenAI')).toBe('standard')
  })

  it.each(['auto', '', 'kimi-k2', '__proto__', 'constructor'])('%j names no format', (name) => {
    expect(resolveFormatId(name)).toBeUndefined()
  })
})
