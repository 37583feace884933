import type { Command } from 'commander';

const EXECUTION = 'exec_01a20e900c98726bab4437bf6aed9092';

/** Two command lines for every command, by its name. */
export const EXAMPLES: Readonly<Record<string, readonly [string, string]>> = {
  'svc dev': ['svc dev', 'svc dev --port 8080 --log-level debug'],
  'svc serve': ['svc serve --config svc.toml', 'svc serve --role api --port 7700'],
  'svc validate': ['svc validate checkout.json', 'svc validate checkout.ts --strict -o json'],
  'svc config show': ['svc config show --origin', 'svc config show --config svc.toml -o json'],
  'svc auth matrix': ['svc auth matrix', 'svc auth matrix -o json'],
  'svc version': ['svc version', 'svc version -o json'],
  'svc db migrate': ['svc db migrate', 'svc db migrate --database-url svc.db'],
  'svc db status': ['svc db status', 'svc db status --config svc.toml -o json'],
  'svc db backup': ['svc db backup monday.db', 'svc db backup backups --every 15m --keep 96'],
  'svc db restore': ['svc db restore monday.db', 'svc db restore monday.db --database-url svc.db'],
  'svc doctor': ['svc doctor', 'svc doctor --limit 50 -o json'],
  'svc token create': [
    'svc token create --name ci --role developer',
    'svc token create --name desk --role reviewer --expires 30d',
  ],
  'svc token list': ['svc token list', 'svc token list -o ids'],
  'svc token revoke': ['svc token revoke tok_1', 'svc token revoke tok_1 --config svc.toml'],
  'svc token rotate': ['svc token rotate tok_1', 'svc token rotate tok_1 -o json'],
  'svc memory rotate-key': [
    'svc memory rotate-key',
    'svc memory rotate-key --config svc.toml -o json',
  ],
  'svc audit verify': ['svc audit verify', 'svc audit verify --tenant acme -o json'],
  'svc audit export': [
    'svc audit export --since 2026-11-01 > audit.jsonl',
    'svc audit export --tenant acme --until 2026-12-01',
  ],
  'svc retention set': [
    'svc retention set --completed 30 --failed 90',
    'svc retention set --workflow checkout --completed 7',
  ],
  'svc retention list': ['svc retention list', 'svc retention list --tenant acme -o json'],
  'svc retention remove': [
    'svc retention remove --workflow checkout',
    'svc retention remove --tenant acme',
  ],
  'svc retention preview': [
    'svc retention preview',
    'svc retention preview --workflow checkout --older-than 30d',
  ],
  'svc retention run': [
    'svc retention run --dry-run',
    'svc retention run --status failed --archive archive/',
  ],
  'svc retention partition': [
    'svc retention partition',
    'svc retention partition --days 30 -o json',
  ],
  'svc workflow register': [
    'svc workflow register checkout.json',
    'svc workflow register checkout.ts --strict',
  ],
  'svc workflow simulate': [
    'svc workflow simulate checkout.json',
    `svc workflow simulate checkout.json --input '{"order_id": 42}'`,
  ],
  'svc workflow list': ['svc workflow list', 'svc workflow list -o wide'],
  'svc workflow show': ['svc workflow show checkout', 'svc workflow show checkout -o yaml'],
  'svc workflow pause': [
    'svc workflow pause checkout',
    `svc workflow pause checkout --reason 'the bank is down'`,
  ],
  'svc workflow resume': ['svc workflow resume checkout', 'svc workflow resume checkout -o json'],
  'svc execution start': [
    `svc execution start checkout --input '{"order_id": 42}' --wait`,
    'svc execution start checkout --label customer=acme --idempotency-key order-42',
  ],
  'svc execution start-many': [
    'svc execution start-many orders.jsonl --workflow checkout',
    'svc execution start-many - --workflow checkout --idempotency-key monday',
  ],
  'svc execution list': [
    `svc execution list -q 'error_class = "Timeout" and started > -2h'`,
    'svc execution list --status running --watch 5',
  ],
  'svc execution count': ['svc execution count', 'svc execution count --workflow checkout --watch'],
  'svc execution show': [
    `svc execution show ${EXECUTION}`,
    `svc execution show ${EXECUTION} -o yaml`,
  ],
  'svc execution explain': [
    `svc execution explain ${EXECUTION}`,
    `svc execution explain ${EXECUTION} --watch`,
  ],
  'svc execution result': [
    `svc execution result ${EXECUTION}`,
    `svc execution result ${EXECUTION} --wait -o json`,
  ],
  'svc execution state': [
    `svc execution state ${EXECUTION} --at 12`,
    `svc execution state ${EXECUTION} --blame`,
  ],
  'svc execution events': [
    `svc execution events ${EXECUTION} --follow`,
    `svc execution events ${EXECUTION} --after 12 -o json`,
  ],
  'svc execution export': [
    `svc execution export ${EXECUTION} --file order.json`,
    `svc execution export ${EXECUTION} > order.json`,
  ],
  'svc execution check-export': [
    'svc execution check-export order.json',
    'svc execution check-export order.json -o json',
  ],
  'svc execution import': [
    'svc execution import order.json',
    `svc execution import archive.jsonl.gz --execution ${EXECUTION}`,
  ],
  'svc execution cancel': [
    `svc execution cancel ${EXECUTION}`,
    `svc execution list -q 'status = running' -o ids | svc execution cancel -`,
  ],
  'svc execution pause': [
    `svc execution pause ${EXECUTION} --reason 'the bank is down'`,
    'svc execution list --workflow checkout -o ids | svc execution pause -',
  ],
  'svc execution resume': [
    `svc execution resume ${EXECUTION}`,
    'svc execution list --status paused -o ids | svc execution resume -',
  ],
  'svc execution move': [
    `svc execution move ${EXECUTION} --build 2026-11-24`,
    `svc execution move ${EXECUTION} --build - --node agent`,
  ],
  'svc execution fork': [
    `svc execution fork ${EXECUTION} --at charge --dry-run`,
    `svc execution fork ${EXECUTION} --at 12 --patch '{"amount": 5}'`,
  ],
  'svc execution forks': [
    `svc execution forks ${EXECUTION}`,
    `svc execution forks ${EXECUTION} -o ids`,
  ],
  'svc execution diff': [
    `svc execution diff ${EXECUTION} exec_01a20e913dd37bb2b2e86fcb2ad9cf75`,
    `svc execution diff ${EXECUTION} exec_01a20e913dd37bb2b2e86fcb2ad9cf75 -o json`,
  ],
  'svc execution retry': [
    `svc execution retry ${EXECUTION} --latest`,
    `svc execution list -q 'status = failed' --all -o ids | svc execution retry -`,
  ],
  'svc execution bulk': [
    'svc execution bulk cancel --workflow checkout',
    `svc execution bulk retry -q 'status = failed and started > -2h' --yes`,
  ],
  'svc execution approvals': [
    `svc execution approvals ${EXECUTION}`,
    `svc execution approvals ${EXECUTION} -o json`,
  ],
  'svc execution approve': [
    `svc execution approve ${EXECUTION}`,
    `svc execution approve ${EXECUTION} --reject --comment 'too expensive'`,
  ],
  'svc execution send-event': [
    `svc execution send-event ${EXECUTION} payment-42`,
    `svc execution send-event ${EXECUTION} payment-42 --payload '{"paid": true}'`,
  ],
  'svc work-item list': ['svc work-item list', 'svc work-item list --workflow checkout --all'],
  'svc work-item show': ['svc work-item show wi_1', 'svc work-item show wi_1 -o json'],
  'svc work-item requeue': [
    'svc work-item requeue wi_1',
    'svc work-item list --node charge -o ids | svc work-item requeue -',
  ],
  'svc work-item requeue-all': [
    'svc work-item requeue-all --workflow checkout',
    'svc work-item requeue-all --node charge --yes',
  ],
  'svc approval list': ['svc approval list', 'svc approval list --status decided --all -o json'],
  'svc approval show': [`svc approval show ${EXECUTION}`, `svc approval show ${EXECUTION} -o yaml`],
  'svc approval approve': [
    `svc approval approve ${EXECUTION} --comment 'checked'`,
    'svc approval list --workflow refund -o ids | svc approval approve -',
  ],
  'svc approval reject': [
    `svc approval reject ${EXECUTION} --comment 'too expensive'`,
    `svc approval reject ${EXECUTION} --node sign`,
  ],
  'svc approval decide': [
    'svc approval decide --workflow refund',
    `svc approval decide --workflow refund --reject --comment 'campaign ended' --yes`,
  ],
  'svc queue list': ['svc queue list', 'svc queue list --watch'],
  'svc worker list': ['svc worker list', 'svc worker list --watch 5'],
  'svc worker show': ['svc worker show worker-1', 'svc worker show worker-1 -o yaml'],
  'svc worker check': [
    `svc worker check --cmd 'python worker.py'`,
    'svc worker check --list -o json',
  ],
  'svc failure list': [
    'svc failure list --within 1h --workflow checkout',
    `svc failure list -q 'labels.customer = acme and error ~ "timeout"'`,
  ],
  'svc failure show': [
    'svc failure show 5f0c2b7d9a1e4c36',
    'svc failure show 5f0c2b7d9a1e4c36 --within 7d --all -o ids',
  ],
  'svc schedule list': ['svc schedule list', 'svc schedule list -o wide'],
  'svc schedule show': ['svc schedule show nightly', 'svc schedule show nightly -o yaml'],
  'svc schedule create': [
    `svc schedule create nightly report --cron '30 2 * * *' --timezone Europe/Berlin`,
    `svc schedule create poll orders --every 15m --input '{"shop": 7}'`,
  ],
  'svc schedule pause': ['svc schedule pause nightly', 'svc schedule pause nightly -o json'],
  'svc schedule resume': ['svc schedule resume nightly', 'svc schedule resume nightly -o json'],
  'svc schedule trigger': [
    'svc schedule trigger nightly',
    'svc schedule trigger nightly --idempotency-key monday',
  ],
  'svc schedule backfill': [
    'svc schedule backfill nightly --from 2026-11-01 --to 2026-11-08 --dry-run',
    'svc schedule backfill nightly --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z',
  ],
  'svc schedule delete': ['svc schedule delete nightly', 'svc schedule delete nightly -o json'],
  'svc schedule preview': [
    `svc schedule preview --cron '30 2 * * *' --timezone Europe/Berlin`,
    'svc schedule preview --every 15m --count 3',
  ],
  'svc webhook list': ['svc webhook list', 'svc webhook list -o ids'],
  'svc webhook create': [
    'svc webhook create https://shop.example.com/svc',
    'svc webhook create https://shop.example.com/svc --event execution.failed',
  ],
  'svc webhook show': ['svc webhook show wh_1', 'svc webhook show wh_1 -o json'],
  'svc webhook delete': ['svc webhook delete wh_1', 'svc webhook delete wh_1 -o json'],
  'svc webhook deliveries': [
    'svc webhook deliveries wh_1',
    'svc webhook deliveries wh_1 --all -o json',
  ],
  'svc webhook redeliver': [
    'svc webhook redeliver wh_1 msg_1',
    'svc webhook redeliver wh_1 msg_1 -o json',
  ],
  'svc eval run': [
    'svc eval run cases.csv --workflow checkout.json',
    `svc eval run cases.csv --workflow checkout.json --check 'output.n == expected'`,
  ],
  'svc agent list': ['svc agent list', 'svc agent list --status active -o ids'],
  'svc agent show': ['svc agent show translator', 'svc agent show translator -o yaml'],
  'svc agent register': ['svc agent register card.json', 'svc agent register - -o json'],
  'svc agent discover': [
    'svc agent discover https://agents.example.com',
    'svc agent discover https://agents.example.com -o yaml',
  ],
  'svc agent activate': ['svc agent activate translator', 'svc agent activate translator -o json'],
  'svc agent deactivate': [
    'svc agent deactivate translator',
    'svc agent deactivate translator -o json',
  ],
  'svc tenant list': ['svc tenant list', 'svc tenant list --all -o ids'],
  'svc tenant show': ['svc tenant show acme', 'svc tenant show acme -o yaml'],
  'svc tenant create': ['svc tenant create acme', `svc tenant create acme --name 'Acme Inc.'`],
  'svc tenant update': [
    'svc tenant update acme --status suspended',
    `svc tenant update acme --limits '{"max_concurrent_executions": 100, "when_full": "queue"}'`,
  ],
  'svc artifact put': [
    'svc artifact put report.pdf --type application/pdf',
    'svc artifact put - --type text/csv',
  ],
  'svc artifact get': [
    'svc artifact get sha256:0a1b --file report.pdf',
    'svc artifact get sha256:0a1b > report.pdf',
  ],
  'svc artifact show': ['svc artifact show sha256:0a1b', 'svc artifact show sha256:0a1b -o json'],
  'svc open': [`svc open ${EXECUTION}`, 'svc open checkout --print'],
  'svc login': [
    'svc login prod --url https://svc.example.com',
    'svc login prod --url https://svc.example.com --token-stdin < token.txt',
  ],
  'svc context list': ['svc context list', 'svc context list -o json'],
  'svc context show': ['svc context show', 'svc context show prod -o json'],
  'svc context use': ['svc context use prod', 'svc context use default'],
  'svc context remove': ['svc context remove prod', 'svc context remove prod -o json'],
  'svc completion': ['svc completion bash', 'svc completion zsh'],
};

/** Ends the help of each command with its examples. */
export function addExamples(command: Command, line = command.name()): void {
  const examples = EXAMPLES[line];
  if (examples !== undefined) {
    command.addHelpText('after', `\nExamples:\n${examples.map((one) => `  ${one}`).join('\n')}`);
  }
  for (const sub of command.commands) addExamples(sub, `${line} ${sub.name()}`);
}
