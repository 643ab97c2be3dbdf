/** What proves to this server that it thought so itself. It stands for Anthropic's: base64, and no other text has it. */
export function signatureOf(thought: string): string {
  return Buffer.from(`simulated ${thought}`).toString('base64')
}
