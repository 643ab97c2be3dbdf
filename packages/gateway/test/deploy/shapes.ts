import { isObject } from '../../src/base/is-object.ts'

/** What a part of a file may hold: a kind of value, one of some words, a list, a map of any names, or fields. */
export type Shape =
  | 'text'
  | 'number'
  | 'boolean'
  | 'anything'
  | { readonly oneOf: readonly (string | number)[] }
  | { readonly list: Shape }
  | { readonly mapOf: Shape }
  | { readonly fields: Readonly<Record<string, Shape>>; readonly needs?: readonly string[] }

/** Everything in a file that does not fit, as sentences with the path. The programs themselves would refuse it, or not see it. */
export function misfits(value: unknown, shape: Shape, path = ''): string[] {
  if (shape === 'anything') return []
  if (typeof shape === 'string') {
    const is = typeof value === 'string' ? 'text' : typeof value
    return is === shape ? [] : [`${path} is ${is}, not ${shape}`]
  }
  if ('oneOf' in shape)
    return shape.oneOf.some((each) => each === value) ? [] : [`${path} is ${String(value)}`]
  if ('list' in shape) {
    if (!Array.isArray(value)) return [`${path} is no list`]
    return value.flatMap((each, at) => misfits(each, shape.list, `${path}[${at}]`))
  }
  if (!isObject(value)) return [`${path} has no fields`]
  if ('mapOf' in shape) {
    return Object.entries(value).flatMap(([name, each]) => misfits(each, shape.mapOf, `${path}.${name}`))
  }
  const missing = (shape.needs ?? [])
    .filter((name) => !(name in value))
    .map((name) => `${path}.${name} is missing`)
  const wrong = Object.entries(value).flatMap(([name, each]) => {
    const known = shape.fields[name]
    return known === undefined ? [`${path}.${name} is not known`] : misfits(each, known, `${path}.${name}`)
  })
  return [...missing, ...wrong]
}

const texts: Shape = { mapOf: 'text' }
const metadata: Shape = {
  fields: { name: 'text', namespace: 'text', labels: texts, annotations: texts },
  needs: ['name'],
}
const labelSelector: Shape = { fields: { matchLabels: texts } }
/** A number of pods, or a part of them. */
const share: Shape = 'number'

function resource(apiVersion: string, kind: string, fields: Readonly<Record<string, Shape>>): Shape {
  return {
    fields: { apiVersion: { oneOf: [apiVersion] }, kind: { oneOf: [kind] }, metadata, ...fields },
    needs: ['apiVersion', 'kind', 'metadata', ...Object.keys(fields).filter((name) => name === 'spec')],
  }
}

const probe: Shape = {
  fields: {
    httpGet: {
      fields: { path: 'text', port: 'anything', scheme: { oneOf: ['HTTP', 'HTTPS'] } },
      needs: ['port'],
    },
    initialDelaySeconds: 'number',
    periodSeconds: 'number',
    timeoutSeconds: 'number',
    successThreshold: 'number',
    failureThreshold: 'number',
  },
  needs: ['httpGet'],
}

const container: Shape = {
  fields: {
    name: 'text',
    image: 'text',
    imagePullPolicy: { oneOf: ['Always', 'IfNotPresent', 'Never'] },
    command: { list: 'text' },
    args: { list: 'text' },
    ports: {
      list: {
        fields: { name: 'text', containerPort: 'number', protocol: { oneOf: ['TCP', 'UDP', 'SCTP'] } },
        needs: ['containerPort'],
      },
    },
    env: {
      list: {
        fields: {
          name: 'text',
          value: 'text',
          valueFrom: {
            fields: {
              secretKeyRef: {
                fields: { name: 'text', key: 'text', optional: 'boolean' },
                needs: ['name', 'key'],
              },
            },
          },
        },
        needs: ['name'],
      },
    },
    volumeMounts: {
      list: {
        fields: { name: 'text', mountPath: 'text', readOnly: 'boolean', subPath: 'text' },
        needs: ['name', 'mountPath'],
      },
    },
    startupProbe: probe,
    livenessProbe: probe,
    readinessProbe: probe,
    lifecycle: {
      fields: { preStop: { fields: { sleep: { fields: { seconds: 'number' }, needs: ['seconds'] } } } },
    },
    resources: { fields: { requests: texts, limits: texts } },
    securityContext: {
      fields: {
        allowPrivilegeEscalation: 'boolean',
        readOnlyRootFilesystem: 'boolean',
        capabilities: { fields: { add: { list: 'text' }, drop: { list: 'text' } } },
      },
    },
  },
  needs: ['name', 'image'],
}

const pod: Shape = {
  fields: {
    automountServiceAccountToken: 'boolean',
    enableServiceLinks: 'boolean',
    terminationGracePeriodSeconds: 'number',
    securityContext: {
      fields: {
        runAsNonRoot: 'boolean',
        runAsUser: 'number',
        runAsGroup: 'number',
        fsGroup: 'number',
        seccompProfile: {
          fields: { type: { oneOf: ['RuntimeDefault', 'Unconfined', 'Localhost'] } },
          needs: ['type'],
        },
      },
    },
    topologySpreadConstraints: {
      list: {
        fields: {
          maxSkew: 'number',
          topologyKey: 'text',
          whenUnsatisfiable: { oneOf: ['DoNotSchedule', 'ScheduleAnyway'] },
          labelSelector,
        },
        needs: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
      },
    },
    containers: { list: container },
    volumes: {
      list: {
        fields: {
          name: 'text',
          secret: {
            fields: {
              secretName: 'text',
              defaultMode: 'number',
              optional: 'boolean',
              items: {
                list: { fields: { key: 'text', path: 'text', mode: 'number' }, needs: ['key', 'path'] },
              },
            },
            needs: ['secretName'],
          },
        },
        needs: ['name'],
      },
    },
  },
  needs: ['containers'],
}

const scaling: Shape = {
  fields: {
    stabilizationWindowSeconds: 'number',
    selectPolicy: { oneOf: ['Max', 'Min', 'Disabled'] },
    policies: {
      list: {
        fields: { type: { oneOf: ['Pods', 'Percent'] }, value: 'number', periodSeconds: 'number' },
        needs: ['type', 'value', 'periodSeconds'],
      },
    },
  },
}

/** The fields of Kubernetes' own resources that files like ours have, by the name of the file. */
export const kubernetesShapes: Readonly<Record<string, Shape>> = {
  deployment: resource('apps/v1', 'Deployment', {
    spec: {
      fields: {
        replicas: 'number',
        selector: labelSelector,
        strategy: {
          fields: {
            type: { oneOf: ['RollingUpdate', 'Recreate'] },
            rollingUpdate: { fields: { maxUnavailable: share, maxSurge: share } },
          },
        },
        template: {
          fields: { metadata: { fields: { labels: texts, annotations: texts } }, spec: pod },
          needs: ['spec'],
        },
      },
      needs: ['selector', 'template'],
    },
  }),
  service: resource('v1', 'Service', {
    spec: {
      fields: {
        selector: texts,
        type: { oneOf: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
        ports: {
          list: { fields: { name: 'text', port: 'number', targetPort: 'anything' }, needs: ['port'] },
        },
      },
      needs: ['ports'],
    },
  }),
  'disruption-budget': resource('policy/v1', 'PodDisruptionBudget', {
    spec: {
      fields: { maxUnavailable: share, minAvailable: share, selector: labelSelector },
      needs: ['selector'],
    },
  }),
  autoscaler: resource('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: {
      fields: {
        scaleTargetRef: {
          fields: { apiVersion: 'text', kind: 'text', name: 'text' },
          needs: ['kind', 'name'],
        },
        minReplicas: 'number',
        maxReplicas: 'number',
        metrics: {
          list: {
            fields: {
              type: { oneOf: ['Pods'] },
              pods: {
                fields: {
                  metric: { fields: { name: 'text', selector: labelSelector }, needs: ['name'] },
                  target: {
                    fields: { type: { oneOf: ['AverageValue'] }, averageValue: 'text' },
                    needs: ['type', 'averageValue'],
                  },
                },
                needs: ['metric', 'target'],
              },
            },
            needs: ['type'],
          },
        },
        behavior: { fields: { scaleUp: scaling, scaleDown: scaling } },
      },
      needs: ['scaleTargetRef', 'maxReplicas'],
    },
  }),
  secret: resource('v1', 'Secret', { type: { oneOf: ['Opaque'] }, stringData: texts, data: texts }),
  kustomization: {
    fields: {
      apiVersion: { oneOf: ['kustomize.config.k8s.io/v1beta1'] },
      kind: { oneOf: ['Kustomization'] },
      resources: { list: 'text' },
    },
    needs: ['resources'],
  },
}

const service: Shape = {
  fields: {
    image: 'text',
    build: { fields: { context: 'text', dockerfile: 'text' } },
    restart: { oneOf: ['no', 'always', 'on-failure', 'unless-stopped'] },
    environment: texts,
    command: { list: 'text' },
    volumes: { list: 'text' },
    ports: { list: 'text' },
    extra_hosts: { list: 'text' },
    stop_grace_period: 'text',
    user: 'text',
    read_only: 'boolean',
    cap_drop: { list: 'text' },
    security_opt: { list: 'text' },
    networks: { list: 'text' },
    depends_on: {
      mapOf: {
        fields: {
          condition: { oneOf: ['service_started', 'service_healthy', 'service_completed_successfully'] },
        },
        needs: ['condition'],
      },
    },
    healthcheck: {
      fields: {
        test: { list: 'text' },
        interval: 'text',
        timeout: 'text',
        retries: 'number',
        start_period: 'text',
      },
      needs: ['test'],
    },
  },
  needs: ['image'],
}

/** The fields of the Compose specification that a file like ours has. */
export const composeShape: Shape = {
  fields: {
    name: 'text',
    'x-gateway': service,
    services: { mapOf: service },
    networks: { mapOf: 'anything' },
    volumes: { mapOf: 'anything' },
  },
  needs: ['services'],
}
