import { Badge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { Row, Stack } from '../../ui/layout/stack.tsx';
import type { PreviewedCard } from './read-agents.ts';

type Skill = PreviewedCard['capabilities']['skills'][number];

/** An agent's card: what it says about itself, which nobody has proved. */
export function CardView({ card }: { readonly card: PreviewedCard }) {
  const { capabilities, name } = card;
  return (
    <Stack>
      {card.description === '' ? null : <p>{card.description}</p>}
      <Facts
        facts={[
          ['Address', card.uri ?? 'none'],
          ['Version', card.version],
          ['Autonomy', card.autonomy.replaceAll('_', ' ')],
          ['Authentication', card.auth.type.replaceAll('_', ' ')],
          [
            'Protocols',
            capabilities.protocols.length === 0 ? (
              'none'
            ) : (
              <Row key="protocols">
                {capabilities.protocols.map((protocol) => (
                  <Badge key={protocol} tone="idle">
                    {protocol}
                  </Badge>
                ))}
              </Row>
            ),
          ],
        ]}
      />
      {capabilities.skills.length === 0 ? (
        <p>The card names no skills.</p>
      ) : (
        <DataTable
          label={`Skills of ${name}`}
          rows={capabilities.skills}
          rowKey={(skill) => skill.name}
          columns={SKILL_COLUMNS}
        />
      )}
      <JsonView value={card} label={`Card of ${name}`} openDepth={0} />
    </Stack>
  );
}

const SKILL_COLUMNS: readonly Column<Skill>[] = [
  { id: 'name', title: 'Skill', cell: ({ name }) => name },
  { id: 'description', title: 'Description', cell: ({ description }) => description },
];
