import { parseAllDocuments } from 'yaml';

import { readRendered } from './chart-cases.ts';

/* Manifests, limited to the fields that tests read; `manifest-types.ts` checks them completely. */

export type Labels = Readonly<Record<string, string>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: Labels | { readonly matchLabels: Labels };
    readonly podSelector?: { readonly matchLabels: Labels };
    readonly scaleTargetRef?: { readonly name: string };
    readonly template?: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: PodSpec;
    };
    readonly ports?: readonly { readonly name: string; readonly targetPort: string }[];
    readonly endpoints?: readonly Scraped[];
    readonly podMetricsEndpoints?: readonly Scraped[];
    readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly triggers?: readonly { readonly metadata: { readonly query: string } }[];
  };
}

interface Scraped {
  readonly port: string;
  readonly path: string;
  readonly relabelings: readonly { readonly targetLabel: string; readonly replacement: string }[];
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly EnvVar[];
  readonly envFrom?: readonly { readonly secretRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string } };
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export function readManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as Manifest;
  });
}

export function renderedManifests(name: string): readonly Manifest[] {
  return readManifests(readRendered(name));
}

/** A resource that runs pods, with the pods' labels and specification. */
export interface Workload {
  readonly name: string;
  readonly labels: Labels;
  readonly pod: PodSpec;
  /** Each pod has one container. */
  readonly container: Container;
}

export function workloadsOf(manifests: readonly Manifest[]): readonly Workload[] {
  return manifests.flatMap(({ metadata, spec }) => {
    const pod = spec?.template?.spec;
    const [container, ...others] = pod?.containers ?? [];
    if (pod === undefined || container === undefined) return [];
    if (others.length > 0) throw new Error(`${metadata.name} has several containers`);
    return [{ name: metadata.name, labels: spec?.template?.metadata.labels ?? {}, pod, container }];
  });
}
