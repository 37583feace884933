import { TextField } from '../../ui/controls/field.tsx';

/** Whose facts, as typed. */
export interface Scope {
  readonly agentId: string;
  readonly endUserId: string;
}

export const NO_SCOPE: Scope = { agentId: '', endUserId: '' };

/** The members of a request; empty fields are absent. */
export function scopeOf({ agentId, endUserId }: Scope) {
  return {
    ...(agentId.trim() === '' ? {} : { agent_id: agentId.trim() }),
    ...(endUserId.trim() === '' ? {} : { end_user_id: endUserId.trim() }),
  };
}

export function ScopeFields({
  scope,
  onChange,
}: {
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
}) {
  return (
    <>
      <TextField
        label="End user"
        hint="Empty: not of an end user."
        value={scope.endUserId}
        autoComplete="off"
        onChange={(event) => onChange({ ...scope, endUserId: event.target.value })}
      />
      <TextField
        label="Agent"
        hint="A UUID. Empty: not of an agent."
        value={scope.agentId}
        autoComplete="off"
        onChange={(event) => onChange({ ...scope, agentId: event.target.value })}
      />
    </>
  );
}
