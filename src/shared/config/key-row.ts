import type { CertificateSubject } from '../security/authenticators/certificates.ts';
import type { McpServerSetting } from './read-mcp-servers.ts';

/** The declaration of a configuration key. */
interface RowBase {
  /** One sentence for the documentation. */
  readonly meaning: string;
  /** Names of the same setting beside `SVC_<SECTION>_<KEY>`; set to different values they clash. */
  readonly env?: readonly string[];
  /** Names common to many programs, read in order when none of the setting's own is set. */
  readonly fallbackEnv?: readonly string[];
  /** The command line's name of the setting. */
  readonly flag?: string;
  /** The unit of a number. */
  readonly unit?: string;
  /** The meaning of null, the default. */
  readonly defaultMeaning?: string;
}

/** One key. `devDefault` is the default of `svc dev` where it differs. A null default: unset. */
export type KeyRow = RowBase &
  (
    | { readonly type: 'int'; readonly default: number; readonly min: number; readonly max: number }
    | { readonly type: 'bool'; readonly default: boolean; readonly devDefault?: boolean }
    | { readonly type: 'enum'; readonly default: string; readonly values: readonly string[] }
    | { readonly type: 'port_or_off' | 'subjects' | 'mcp_servers'; readonly default: null }
    | {
        readonly type: 'secret_patterns' | 'commands' | 'urls';
        readonly default: readonly string[];
      }
    | {
        readonly type: 'string' | 'host' | 'url' | 'database_url' | 'secret' | 'secret_key';
        readonly default: string | null;
        readonly devDefault?: string;
      }
  );

/** A value a key can have. */
export type ConfigValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly CertificateSubject[]
  | readonly McpServerSetting[]
  | null;

/** The value a row's key has in the configuration. */
export type ValueOf<Row extends KeyRow> =
  | (Row extends { readonly type: 'int' }
      ? number
      : Row extends { readonly type: 'bool' }
        ? boolean
        : Row extends { readonly type: 'enum'; readonly values: readonly (infer Value)[] }
          ? Value
          : Row extends { readonly type: 'port_or_off' }
            ? number | 'off'
            : Row extends { readonly type: 'subjects' }
              ? readonly CertificateSubject[]
              : Row extends { readonly type: 'mcp_servers' }
                ? readonly McpServerSetting[]
                : Row extends { readonly default: readonly string[] }
                  ? readonly string[]
                  : string)
  | (Row['default'] extends null ? null : never);
