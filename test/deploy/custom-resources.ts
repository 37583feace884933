/*
 * The operators' resources that the chart creates, limited to the used fields; see
 * `manifest-types.ts`.
 */

interface Metadata {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

interface ScrapedEndpoint {
  readonly port: string;
  readonly path: string;
  readonly interval: string;
  readonly relabelings: readonly { readonly targetLabel: string; readonly replacement: string }[];
}

/** KEDA. */
export interface ScaledObject {
  readonly apiVersion: 'keda.sh/v1alpha1';
  readonly kind: 'ScaledObject';
  readonly metadata: Metadata;
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly pollingInterval: number;
    readonly fallback: { readonly failureThreshold: number; readonly replicas: number };
    readonly advanced: {
      readonly horizontalPodAutoscalerConfig: {
        readonly behavior: {
          readonly scaleDown: {
            readonly stabilizationWindowSeconds: number;
            readonly policies: readonly {
              readonly type: 'Pods' | 'Percent';
              readonly value: number;
              readonly periodSeconds: number;
            }[];
          };
        };
      };
    };
    readonly triggers: readonly {
      readonly type: 'prometheus';
      readonly metricType: 'AverageValue' | 'Value';
      readonly metadata: {
        readonly serverAddress: string;
        readonly query: string;
        /** A number, as text. */
        readonly threshold: string;
      };
    }[];
  };
}

/** The Prometheus operator. */
export interface ServiceMonitor {
  readonly apiVersion: 'monitoring.coreos.com/v1';
  readonly kind: 'ServiceMonitor';
  readonly metadata: Metadata;
  readonly spec: { readonly selector: Selector; readonly endpoints: readonly ScrapedEndpoint[] };
}

export interface PodMonitor {
  readonly apiVersion: 'monitoring.coreos.com/v1';
  readonly kind: 'PodMonitor';
  readonly metadata: Metadata;
  readonly spec: {
    readonly selector: Selector;
    readonly podMetricsEndpoints: readonly ScrapedEndpoint[];
  };
}
