// Generated from docs/openapi.json. Write it again with: npm run sdk:types

export interface paths {
    readonly "/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Describes this service, with links
         * @description The paths are relative to this address. The answer reveals nothing about data, tenants or settings. A browser that asks for HTML is sent to the console.
         *
         *     Access: no token.
         */
        readonly get: operations["get-root"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Says that the process is alive
         * @description Stays 200 when the database is unavailable: a restart of the process would not help.
         *
         *     Access: no token.
         */
        readonly get: operations["get-health"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reports whether the process can serve requests
         * @description 503 while the database is unavailable and while the process shuts down. No token can be checked without the database, so every caller gets this 503.
         *
         *     Access: any token but a worker’s; none where `auth.open_ready` is set.
         */
        readonly get: operations["get-ready"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/whoami": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Says who the caller is, and which routes it may use
         * @description Any role may ask. A route outside `permissions` answers this caller with 403; a route in it may still refuse a request for other reasons.
         *
         *     Access: any token.
         */
        readonly get: operations["who-am-i"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/did.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Gives the DID document of the runtime
         * @description W3C DID Core 1.0, method `did:web`, named by `runtime.public_url`. It has one service for each active agent of the tenant `default`, and none of other tenants.
         *
         *     Access: no token.
         */
        readonly get: operations["get-did"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/agent.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Gives the runtime’s own Agent Card, for discovery by other runtimes
         * @description Access: no token.
         */
        readonly get: operations["get-runtime-card"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/agent-card.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Gives the runtime’s Agent Card in A2A 1.0
         * @description Its one interface is a custom binding, this API. Workflows of the tenant `default` that are exposed are among its skills, each with the `url` of its own agent; see `docs/guides/a2a.md`.
         *
         *     Access: no token.
         */
        readonly get: operations["get-agent-card"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/workflows": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists workflow definitions, newest first
         * @description The newest revision of each workflow and version. Follow `next_cursor` for more.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-workflows"];
        readonly put?: never;
        /**
         * Registers a workflow definition
         * @description The same definition again gives the same answer; a different one under the same id and version becomes a new revision, which later executions use. `warnings` list probable mistakes that do not stop it from running: names that nothing reads, paths that are not in the `state_schema`, nodes that never run. A 400 lists `problems`, each with the JSON pointer of its place.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["register-workflow"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/workflows/validate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Checks a workflow definition and stores nothing
         * @description Finds the same problems and warnings as `POST /workflows`, and answers 200 with them. Send the definition as `ir`, or as the `text` of a JSON or YAML file: then each problem carries its line and column. `registration` says what a registration would do at this moment.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["validate-workflow"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/workflows/simulate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Runs a definition in memory with sample outputs
         * @description The engine decides as it does in an execution, and `samples` stand for everything that works or waits outside, by node: nothing is called, nobody waits, and nothing is stored. A node without a sample succeeds with the output null and is listed in `assumed`; timers fire at once. A definition that cannot run, or an input that it refuses, is a 400.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["simulate-workflow"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/workflows/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads a workflow definition
         * @description Access: any token but a worker’s.
         */
        readonly get: operations["read-workflow"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/workflows/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Pauses every version of a workflow
         * @description After the answer, nothing of the workflow begins. `POST /executions`, schedules, parents and retries still create executions, which are held before their first step. A scheduler holds the running executions, hundreds in a transaction: `state` is `pausing` until all are held. Each of them is paused as by `POST /executions/{id}/pause`, with the scope `workflow`; finalizers of ending executions still run. A repeated pause changes nothing, not even the reason; during a resume, it reverses the resume.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["pause-workflow"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/workflows/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resumes a paused workflow
         * @description New executions run at once. A scheduler releases the held ones, hundreds in a transaction: `state` is `resuming` until all are released, and `pause` is null afterwards. An execution that was also paused separately stays paused until it is resumed. A workflow that is not paused gives the same answer.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["resume-workflow"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists executions, newest first
         * @description Follow `next_cursor` for more: unlike `offset` it stays exact while executions start. With a `q`, a page looks through a bounded part of the list, so that it may have fewer executions than `limit`, or none, before the last page. There is no `offset` then.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-executions"];
        readonly put?: never;
        /**
         * Starts an execution of a workflow
         * @description With an `Idempotency-Key` header, the same key and body within 24 hours give the same `execution_id`; the same key with another body gives 409. A workflow whose `concurrency` refuses starts gives 409 with `code` `concurrency_limit`. A member that is nearly a rule or a time, such as `concurency` or `deadline`, gives 400. A `traceparent` header puts its spans into the caller’s trace. With `wait`, the answer is 200 with the result when the execution ends within that time, and 202 when it does not; without it, 201 at once.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["start-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Starts many executions, each with its own verdict
         * @description Each entry is the body of `POST /executions`, and may have an `idempotency_key`. `results` has one verdict per entry, in the same order: an entry that is wrong or over a limit does not affect the others. The same key and entry start one execution, within a batch and within 24 hours. Give every entry a key, and you can repeat the whole request when its answer is lost. The body may have up to 16 MiB, or `api.body_bytes_max` if that is more; each entry may have up to `api.body_bytes_max`. A batch counts as one request for `requests_per_second`. There is no `wait`. A `traceparent` header applies to every entry.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["start-executions"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/counts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Counts executions by status and by the time of their start
         * @description Takes the filters of `GET /executions`. The histogram covers the times that the filters name; otherwise, it begins at the oldest execution that fits, and ends now.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["count-executions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads an execution with its state
         * @description Access: any token but a worker’s.
         */
        readonly get: operations["read-execution"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/result": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads how an execution ended, and waits for its end
         * @description 200 when the execution has ended, with any status. 202 when it has not ended within `wait`, or when the server shuts down: ask again. The answer comes within milliseconds of the end.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["read-result"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/explain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Tells why an execution does not move, or how it ended
         * @description Every execution that has not ended has at least one blocker or is `moving`. Look at the first
         *     blocker first: those that need a person come before those that pass without help, and work in
         *     progress comes last. Programs use `code` and the fields; `message` and `unblocked_by` are for people.
         *
         *     | `code` | meaning |
         *     | --- | --- |
         *     | `history_unreadable` | its events or its definition cannot be read, so it cannot continue |
         *     | `tenant_suspended` | the tenant is not active: its work is not handed out, its timers do not fire, and nothing is decided |
         *     | `workflow_paused` | its workflow is paused, `since` then. Or it was resumed, and the execution is about to be released |
         *     | `paused_by_operator` | the execution is paused: events are recorded, but no further step starts |
         *     | `no_scheduler` | it waits for a scheduler, and no process with that role has been seen lately |
         *     | `not_marked` | it has a decision to make, but no scheduler is notified: rows were changed from outside |
         *     | `work_missing`, `timer_missing` | the work item or the timer that it waits for does not exist: rows were changed from outside |
         *     | `dead_lettered` | the work item was completed without its fence, so its node did not complete: requeue it |
         *     | `no_worker_for_queue` | a work item waits, and no worker of the tenant claims from its queue, or from the named `queue` |
         *     | `no_worker_for_tool` | a work item has waited for 10 s, and the workers that claim from its queue do not claim its `tool` |
         *     | `no_worker_for_build` | a function waits for a worker of `build_id`, the build that it is pinned to, and none is seen |
         *     | `runnable_not_decided` | it has events that no scheduler has decided on yet |
         *     | `budget_used_up` | a person must grant a budget again |
         *     | `awaiting_approval` | a person must decide; `until`: when the approval times out |
         *     | `awaiting_event` | it waits for an external event; `until`: when the wait times out |
         *     | `waiting_for_place` | it has not begun: it waits for a place of its tenant or its key, for its turn by a `rate`, whether a newer start displaces it, or for further starts of its batch; `position` in the order of waiting |
         *     | `waiting_for_quota` | a work item waits for a place of the `concurrency` of its `tool`, or for a token of its `rate`, `position` in the order of priority and age |
         *     | `waiting_in_queue` | a work item waits its turn, `position` in the order of priority and age, or of turns among the items with keys of `fairness` |
         *     | `retry_backoff_until` | the next attempt waits for its time, after `error` |
         *     | `child_end_not_told` | a child execution has ended, and this one has not received the result yet |
         *     | `child_running` | a child execution runs; `child_code`: its own blocker |
         *     | `timer_until` | a timer runs; without a node: the execution's own time limit has passed |
         *     | `lease_held_until` | a worker, or a process of the runtime, works on it; `overdue`: its lease has expired |
         *     | `map_items_under_way` | items of a map run, with blockers of their own |
         *     | `join_waiting_on` | a node waits for others that may still lead to it |
         *     | `advancing` | it moved at every read |
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["explain-execution"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads the events of an execution, or streams them live
         * @description All events by default; `after`, `before`, `order` and `limit` page them, and `types` selects kinds. With `Accept: text/event-stream` the answer stays open: events arrive as they are recorded, with `id:` their sequence and `data:` the same object as in JSON, and the stream ends after the last event of the execution. A disconnected client sends `Last-Event-ID` and misses nothing; a 204 means that the execution has ended and the client has everything. A caller that loses access gets a last message of the type `error`, with `error` and `status`, within 5 seconds.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["read-events"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/state": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads the state of an execution after one of its events
         * @description The first reading of a long history folds it from its start, and keeps the state at every 2000 events or so. Later readings of any process fold from the nearest one. The answer is 413 where that is more than 100 000 events away. Values that the service keeps as artifacts stay references. Members that would make the answer larger than half a megabyte are left out, the largest first, and `omitted` names them.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["read-state"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/state/diff": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Compares the states of an execution after two of its events
         * @description The first reading of a long history folds it from its start, and keeps the state at every 2000 events or so. Later readings of any process fold from the nearest one. The answer is 413 where that is more than 100 000 events away. Objects are compared member by member, all else as a whole. The answer has at most 500 changes and half a megabyte of values; past that, `omitted` or `truncated` is true.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["compare-state"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/state/blame": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Tells which event set each key of the state last
         * @description The first reading of a long history folds it from its start, and keeps the state at every 2000 events or so. Later readings of any process fold from the nearest one. The answer is 413 where that is more than 100 000 events away. The answer names the first 1000 keys of the state.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["blame-state"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/timeline": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads what each node of an execution did, and when
         * @description Without `node` the visits are all but the items of maps. `queued` is the time before a worker began, where the worker says how long its call took. The answer is 413 for an execution of more than 100 000 events. The first reading of a history folds it, and the process keeps it for the next.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["read-timeline"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads a whole execution as one document
         * @description Its row, all its events, its definition and the artifacts that the events refer to, up to 16 MiB of them: enough to look into it without the database. The format is that of archives. An execution of more than 100 000 events gives 413.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["export-execution"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/import": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Takes in a whole execution that has ended, for reading
         * @description The body is an export, or a line of an archive of retention: up to 32 MiB, or `api.body_bytes_max` where that is more. The execution keeps its id, its times and its actors, and comes into the caller's tenant. Nothing starts, nothing is sent and nothing is counted as use. It shows `imported` for ever, and the audit log has the entry `execution_imported`, which vouches for its events. The same document again gives 200. 400: it has not ended, hides data, or its events do not add up to what it says. 409: there is another execution, or another definition, under its id; or it was removed here with another history.
         *
         *     Access: operator.
         */
        readonly post: operations["import-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancels a running or paused execution
         * @description A cancelled execution gives the same answer; a completed or failed one gives 400. Running work is taken back at once. If undos or finalizers run, the status stays `running` until they end, and `ending` says how the execution ends then: an execution that was failing ends as failed.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["cancel-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Pauses an execution
         * @description From then on nothing of it is scheduled or handed out; work that waits for a worker or a retry is held. Workers may settle leased work, approvals are decided, events are accepted, and timers fire: all of that is recorded and takes effect on resume. Time limits keep running. Its children continue as separate executions, but nodes that wait for their end do not. A cancel still ends it. A repeated pause changes nothing, not even the reason; an ended execution gives 400.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["pause-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resumes a paused execution
         * @description Events recorded meanwhile take effect, and held work returns to its queue. An execution that waits for a person or an event is still `paused` afterwards, with empty `pauses`. One that is not paused gives the same answer; an ended one gives 400.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["resume-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/build": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Moves pinned functions to another build of their workers
         * @description The move takes effect with the next turn of each function; a turn under way ends on the old build. Only functions that are pinned by now move: `moved` names them. Those that have the build already, and an execution without any, change nothing. An ended execution gives 400.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["move-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Retries a failed or cancelled execution as a new one
         * @description The new execution begins with the final state of the first one. Completed nodes do not run again; the failed node does, and so do the nodes in progress at that time: a `map` with its unfinished items, a `subgraph` with a new child, an approval asked again. Tools are called under the same idempotency keys as before, unless their input has changed. Model usage keeps counting. The new execution has no parent, because the first one has already reported its end. An execution has one retry, so you can repeat the request: 409 then names it as `retried_as`. A live or completed execution gives 400.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["retry-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/fork": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Starts a new execution that carries another one up to a point
         * @description `at` is a node, which then runs again, or the sequence of the last event to keep. The fork has the state, the results and the untaken external events of that point; what was in progress begins again, with the whole time of its timers. The original continues, or stays as it ended. The calls of a fork have idempotency keys of their own, so they have their effects again: to repeat a failed call under its key, retry the execution. With `dry_run`, the answer is 200 with what the fork would keep and run, and nothing starts. With an `Idempotency-Key` header, the same key and body within 24 hours give the same fork.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["fork-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/forks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the forks of an execution, newest first
         * @description The direct forks that exist. A page may hold fewer than `limit`: a fork that was refused, or that retention has removed, is left out.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-forks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/bulk": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancels, pauses, resumes or retries many executions
         * @description Acts on up to `max` executions, newest first, each like a separate request. Continue with `next_cursor` until it is null. You can repeat an interrupted bulk: no action happens twice. With `dry_run` nothing changes: `total` counts the matching executions, and `results` shows the first of them. Without a `status`, `cancel` and `pause` act on live executions, `resume` on paused ones, and `retry` on failed ones. With a `q`, a page that looked through many executions may have few results, or none.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["bulk-executions"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Decides an approval that an execution waits for
         * @description When no approval is open, nothing is written and `accepted` is false.
         *
         *     Access: developer or operator; a reviewer where `auth.reviewers_may_approve` is set.
         */
        readonly post: operations["approve-execution"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/approvals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the approvals of an execution, open and decided
         * @description Access: any token but a worker’s.
         */
        readonly get: operations["list-approvals"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/executions/{id}/external-event": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Delivers an external event to an execution
         * @description The open wait with this key takes the event; without one, the event is kept for the next wait. An ended execution accepts nothing: `accepted` is false. An audit entry of a companion (`type` prompt or response, with `advisor`) after the end is still kept: `GET /audit` has it as `companion_prompt` or `companion_response`, and no event is added.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["deliver-external-event"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/approvals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the approvals of all executions
         * @description Open ones are listed oldest first; decided ones of the last 90 days, latest decision first. Follow `next_cursor` for more: a page may have fewer approvals than `limit`.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-all-approvals"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/approvals/decide": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Decides approvals of several executions
         * @description Each decision is like a request of its own, with a result of its own: `error` says why it was refused. When no approval is open, nothing is written and `accepted` is false.
         *
         *     Access: developer or operator; a reviewer where `auth.reviewers_may_approve` is set.
         */
        readonly post: operations["decide-approvals"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists agents, newest first
         * @description Lists all without a `limit`. With one, follow `next_cursor` for more.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-agents"];
        readonly put?: never;
        /**
         * Registers an agent by its Agent Card
         * @description A registered id gets the new card and keeps its status. Unknown fields are kept. Cards of the A2A protocol (0.1 to 1.0) are accepted too.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["register-agent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agents/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads an agent with its Agent Card
         * @description Access: any token but a worker’s.
         */
        readonly get: operations["read-agent"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agents/discover": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Fetches the Agent Card at an address and registers the agent
         * @description Fetches `<url>/.well-known/agent.json`, else `agent-card.json` there (A2A). A repeated discovery refreshes the card. Addresses of private networks are refused unless `agents.allow_private_networks` is set. 502: no server answers there, or the answer is not a card.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["discover-agent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agents/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Shows the Agent Card at an address, and what a discovery would do
         * @description Fetches and checks the card as `POST /agents/discover` does, and stores nothing.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["preview-agent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agents/{id}/activate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Activates an agent
         * @description Access: developer or operator.
         */
        readonly post: operations["activate-agent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agents/{id}/deactivate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Deactivates an agent
         * @description Access: developer or operator.
         */
        readonly post: operations["deactivate-agent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agents/{id}/heartbeat": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Records a heartbeat of an agent
         * @description An active agent is paused when its heartbeats stop for `agents.heartbeat_timeout`; the next one activates it again. For a deactivated agent `ok` is false, and nothing is written.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["heartbeat-agent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/a2a/{workflow_id}/.well-known/agent-card.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Gives the Agent Card of a workflow that is exposed as an A2A agent
         * @description In A2A 1.0 for a client that says `A2A-Version: 1.0`, else in 0.3. The agent itself is reached with `POST /a2a/:workflow_id`. A workflow whose definition does not say `"expose": {"a2a": true}` is answered like one that does not exist. `If-None-Match` with the `ETag` of an unchanged card is answered with 304.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["get-workflow-card"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the audit log of the tenant, newest first
         * @description Every event of an execution is an item, and so is every other request that changed something. Follow `next_cursor` for more: with `event_type` or `actor_id`, a page may hold fewer items than `limit`, or none, because a request looks at a bounded part of the log. Items never change; `svc audit verify` proves it.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-audit"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Verifies the audit log of the tenant, part by part
         * @description Compares the chains of seals with what the tables hold, as `svc audit verify --tenant` does. Each answer tells what its part has compared; follow `next_cursor` to the end. A problem ends the verification. Keep `head` elsewhere: it proves the log up to there.
         *
         *     Access: operator.
         */
        readonly get: operations["verify-audit"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tenants": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the tenants in the order of their ids
         * @description Operators of the tenant `default` see all, others their own. Lists all without a `limit`. With one, follow `next_cursor` for more.
         *
         *     Access: operator.
         */
        readonly get: operations["list-tenants"];
        readonly put?: never;
        /**
         * Creates a tenant
         * @description For operators of the tenant `default`.
         *
         *     Access: operator.
         */
        readonly post: operations["create-tenant"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tenants/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads a tenant
         * @description Operators of the tenant `default` see all, others their own.
         *
         *     Access: operator.
         */
        readonly get: operations["read-tenant"];
        /**
         * Changes a tenant
         * @description For operators of the tenant `default`. Absent fields keep their values; `policy` and `limits` replace the old ones completely. Takes effect at once in the process that answers, and within seconds in all others.
         *
         *     A suspended tenant may read, and nothing of it is scheduled: work is not handed out, timers and retries wait. An archived one may not even read. The tenant `default` stays active.
         *
         *     Access: operator.
         */
        readonly put: operations["update-tenant"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/workers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists workers seen in the last 60 seconds
         * @description Scheduler processes (`runtime`) and the tool workers of the tenant (`tool`).
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-workers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/queues": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists queues and tools with their work and workers
         * @description Queues with items that wait or are leased, and those with dead letters of the last hour.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-queues"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/leases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the work items that are leased now
         * @description Items of the `engine` queue run inside the service and have no tool. One page looks through a bounded number of leases, so a page before the last may have fewer than `limit`, or none.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-leases"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/failures": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists dead letters and failed executions by cause
         * @description The cause is the message without numbers, ids, paths and quoted values. Failed executions count by the time when they began. The latest 1000 of each kind are read, from at least the latest 3000 of each. Follow `next_cursor` for more groups, with the same other parameters: failures after the first page count on no page. `GET /failures/{id}` lists all failures of a group.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-failures"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/failures/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists all failures of a group, the latest first
         * @description The id is that of a group of `GET /failures`, and the other parameters are those of that request. The list is empty if no failure that they find belongs to the group.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-failures-of-group"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads which processes run, and on which database
         * @description For operators of the tenant `default`.
         *
         *     Access: operator.
         */
        readonly get: operations["read-system"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/doctor": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Checks the installation as `svc doctor` does
         * @description For operators of the tenant `default`. Changes nothing. On SQLite, a file above 64 MiB is not searched for damage; `svc doctor` does that.
         *
         *     Access: operator.
         */
        readonly get: operations["examine-system"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the settings in force, and where each value comes from
         * @description For operators of the tenant `default`. The settings of the process that answers, as `svc config show --origin` prints them. Secrets and passwords are always masked.
         *
         *     Access: operator.
         */
        readonly get: operations["list-settings"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/claim": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Claims the next work item under a lease
         * @description Access: worker, developer or operator.
         */
        readonly post: operations["claim-work-item"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/report": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Serves several calls of a worker for its items in one request
         * @description Up to 100 calls of the kinds heartbeat, steps, suspend, continue, complete, fail and release. Each has the result that it would have alone, in the order of the reports, and none depends on another: the answer is 200 although some are refused. Calls for one item are served in their order. After a lost answer, send the request again: each call is as safe to repeat as alone. A claim can carry reports, too.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["report-work-items"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/heartbeat": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Renews the lease of a work item
         * @description A stale fence gives 409 `{renewed: false, work_item_id, reason}`: the item belongs to another worker now, and this one must stop and abandon it.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["renew-lease"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/steps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Appends entries to the journal of a durable function
         * @description The same request twice appends once. 409 `{recorded: false, reason}` writes nothing: `stale_fence`: the item belongs to another worker now · `journal_conflict`: the journal is not as the worker knows it, and `length` tells how long it is.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["record-steps"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/suspend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ends the turn of a durable function until one of its waits is satisfied
         * @description Entries and waits are one commit, and no attempt is used. With `resumed` a wait is satisfied already: the turn continues with `entries` at the end of its journal. Otherwise the item comes back with the next turn once any of its waits is satisfied. A wait that is open keeps its deadline. Without waits, the item comes back as soon as the budgets allow another turn. The same request twice has the same answer. 409 as for `steps`.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["suspend-work-item"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/continue": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ends the visit of a durable function and begins another one with a new input
         * @description One commit records the entries and ends the item. The next visit of the node has its own item, an empty journal and attempts from 0. Open waits and their children end. 400 while compensations are registered that have not run. The same request twice has the same answer until the next visit ends. 409 as for `steps`.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["continue-work-item"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/journal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads the journal of a durable function that a worker has
         * @description Only under the lease. A page ends at 200 entries, or earlier at 256 KiB.
         *
         *     Access: worker, developer or operator.
         */
        readonly get: operations["read-journal"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/complete": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Settles a work item with its result
         * @description A stale fence gives 409 `{completed: false, reason}` and nothing is written: the worker treats it as done and does not follow it with `fail`. Omitting `lease_fence` or `idempotency_key` is deprecated: the answer then has a `Deprecation` header.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["complete-work-item"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/fail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Settles an attempt at a work item as failed
         * @description A stale fence gives 409 and nothing is written. Omitting `lease_fence` is deprecated: the item is settled without an event, and the answer carries a `warning`.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["fail-work-item"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/release": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Gives a claimed work item back to its queue
         * @description For an item that the worker can’t do. A release uses no attempt and leaves no event. The item keeps its place in the queue, and is handed out again after a pause of 1 to 10 s. A stale fence gives 409 `{released: false, reason}`; a repeated request during the pause gives 200 again.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["release-work-item"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists dead-lettered work items, newest first
         * @description Follow `next_cursor` for more; `GET /work-items/{id}` reads one of them.
         *
         *     Access: developer or operator.
         */
        readonly get: operations["list-dead-letters"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads a dead-lettered work item
         * @description With its input, its failed attempts, and what can be done about it.
         *
         *     Access: developer or operator.
         */
        readonly get: operations["read-dead-letter"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/work-items/{id}/requeue": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Requeues a dead-lettered work item
         * @description Its attempts start again from 0.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["requeue-work-item"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/artifacts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Uploads an artifact
         * @description The body is the content, of any type, up to `artifacts.max_bytes`; it is stored as it arrives. The same content again gives the same answer. `{"$artifact": "<hash>"}` in an output or a state patch refers to it.
         *
         *     Access: worker, developer or operator.
         */
        readonly post: operations["upload-artifact"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/artifacts/{hash}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Downloads an artifact by its hash
         * @description The answer has the original content type, and browsers save it instead of showing it. A content never changes, so clients may cache it forever; `If-None-Match` with its `ETag` gets 304. A token of the role `worker` may read the artifacts that leased work items refer to.
         *
         *     Access: any token.
         */
        readonly get: operations["download-artifact"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/memory/settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads the settings of memory
         * @description Access: any token but a worker’s.
         */
        readonly get: operations["read-memory-settings"];
        readonly put?: never;
        /**
         * Saves the key for embedding facts
         * @description Access: developer or operator.
         */
        readonly post: operations["save-memory-settings"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Switches memory on or off
         * @description When memory is off, facts can't be added or recalled; they can still be listed and forgotten.
         *
         *     Access: developer or operator.
         */
        readonly patch: operations["change-memory-settings"];
        readonly trace?: never;
    };
    readonly "/v1/memory/settings/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Tests a key at the provider without saving it
         * @description Access: developer or operator.
         */
        readonly post: operations["test-memory-settings"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/memory/add": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Remembers a fact
         * @description Errors carry a `code`: `memory_disabled` (403), `embedding_key_missing` and `embedding_key_invalid` (400), `memory_quota_exceeded` with `dimension` (402), `embedding_rate_limited` (429, with `Retry-After`), `embedding_failed` (502); they are found in this order, and nothing is embedded or counted then. An `ingestion_key` used before gives the first fact, and nothing is embedded or counted either.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["add-fact"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/memory/recall": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Finds the facts nearest to a text
         * @description Among those of the agent and the end user together, of the agent alone, of the end user alone and of the whole project; never those of another agent or end user. Without `agent_id` or `end_user_id` none that belongs to one is found. Errors carry a `code`, as those of `/v1/memory/add`. The quota counts no recalls.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["recall-facts"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/memory/forget": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Forgets one fact, or all facts of an end user
         * @description Exactly one of `id` and `end_user_id`. A soft delete: recalls and lists leave the facts out at once, and the quota still counts them. Forgetting an end user leaves one audit item, `memory_user_forgotten`, with the count, the reason and `end_user_hash`: the SHA-256 of the canonical JSON `{end_user_id, tenant_id}`, as that log is never altered.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["forget-facts"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/memory/facts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists facts, newest first
         * @description For the next page, give the `created_at` of the last fact as `before`: it is unique in a tenant.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-facts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/memory/stats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Tells how much of the quota is used
         * @description Access: any token but a worker’s.
         */
        readonly get: operations["read-memory-stats"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the tenant’s webhooks, newest first
         * @description Access: developer or operator.
         */
        readonly get: operations["list-webhooks"];
        readonly put?: never;
        /**
         * Creates a webhook for the tenant’s events
         * @description Messages are `POST`ed as JSON `{type, timestamp, data}` and signed by the Standard Webhooks scheme (`webhook-id`, `webhook-timestamp`, `webhook-signature`). They arrive at least once, and in order for each execution. Messages without an answer from 200 to 299 are sent again for about a day. Only this answer shows `secret`.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["create-webhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Deletes a webhook with its pending messages
         * @description Access: developer or operator.
         */
        readonly delete: operations["delete-webhook"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the messages of a webhook, newest first
         * @description Follow `next_cursor` for more. Kept for 30 days after a message was delivered or given up.
         *
         *     Access: developer or operator.
         */
        readonly get: operations["list-deliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sends a message of a webhook again
         * @description For messages that were delivered or given up; the `webhook-id` stays the same. A pending message and a disabled webhook are a 409.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["redeliver-message"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists schedules, newest first
         * @description Each with its next fires; all of them where no `limit` is given.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-schedules"];
        readonly put?: never;
        /**
         * Creates a schedule for a workflow
         * @description Each fire starts one execution, by the actor `schedule:<name>`, also when several schedulers run and when one of them dies. An unknown workflow is a 404, input that violates its state schema a 400; `last_error` reports later failures.
         *
         *     If the name is taken, the request replaces the whole schedule, which keeps its id, and the answer is 200. The same request again changes no fire time.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["create-schedule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads a schedule, with its next fires
         * @description By its id or by its name.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["read-schedule"];
        /**
         * Changes, pauses or resumes a schedule
         * @description Absent fields keep their values; `cron_expression` replaces `every`, and the reverse. With `revision` the change is refused if somebody else has changed the schedule since. A new timing and the end of a pause count from now: earlier pending fires, and fires during the pause, do not fire.
         *
         *     Access: developer or operator.
         */
        readonly put: operations["update-schedule"];
        readonly post?: never;
        /**
         * Deletes a schedule
         * @description Started executions continue. A fire that is starting may still start.
         *
         *     Access: developer or operator.
         */
        readonly delete: operations["delete-schedule"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/cron": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists schedules, newest first
         * @description The same as `/schedules`, under another name. Each with its next fires; all of them where no `limit` is given.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["list-crons"];
        readonly put?: never;
        /**
         * Creates a schedule for a workflow
         * @description The same as `/schedules`, under another name. Each fire starts one execution, by the actor `schedule:<name>`, also when several schedulers run and when one of them dies. An unknown workflow is a 404, input that violates its state schema a 400; `last_error` reports later failures.
         *
         *     If the name is taken, the request replaces the whole schedule, which keeps its id, and the answer is 200. The same request again changes no fire time.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["create-cron"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/cron/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads a schedule, with its next fires
         * @description The same as `/schedules`, under another name. By its id or by its name.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["read-cron"];
        /**
         * Changes, pauses or resumes a schedule
         * @description The same as `/schedules`, under another name. Absent fields keep their values; `cron_expression` replaces `every`, and the reverse. With `revision` the change is refused if somebody else has changed the schedule since. A new timing and the end of a pause count from now: earlier pending fires, and fires during the pause, do not fire.
         *
         *     Access: developer or operator.
         */
        readonly put: operations["update-cron"];
        readonly post?: never;
        /**
         * Deletes a schedule
         * @description The same as `/schedules`, under another name. Started executions continue. A fire that is starting may still start.
         *
         *     Access: developer or operator.
         */
        readonly delete: operations["delete-cron"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Shows the next fires of a timing
         * @description Stores nothing. A wrong timing is a 400, as for `POST /schedules`.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["preview-schedule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/{id}/trigger": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Starts the execution of a schedule now
         * @description The caller starts it, also while the schedule is paused. The next fires stay, and the overlap policy does not count this execution. An `Idempotency-Key` header works as for `POST /executions`.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["trigger-schedule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/{id}/backfill": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Starts the executions of past fires of a schedule
         * @description For fires that were missed, and for the time before the schedule existed. The caller starts them, also while the schedule is paused. The next fires stay, and the overlap policy does not count these executions. A fire that has started before is not started again, so the request may be repeated. If a start is refused after others, the answer says why in `stopped_by`, and `next_from` is where to continue.
         *
         *     Access: developer or operator.
         */
        readonly post: operations["backfill-schedule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/retention/policies": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists how long the tenant’s executions are kept after their end
         * @description The configuration applies where no policy does (`retention.completed_days` and so on).
         *
         *     Access: operator.
         */
        readonly get: operations["list-retention-policies"];
        /**
         * Sets how long executions are kept after their end
         * @description Replaces the policy of that workflow, or of the tenant. A scheduler removes older executions, with their events, within minutes; you can't undo that. See `docs/operate/retention.md`.
         *
         *     Access: operator.
         */
        readonly put: operations["set-retention-policy"];
        readonly post?: never;
        /**
         * Removes a retention policy
         * @description Access: operator.
         */
        readonly delete: operations["remove-retention-policy"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/retention/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Counts the executions that retention would remove now
         * @description Looks through 20 000 executions, oldest first, for `search_ms` milliseconds; `complete` is false if there are more, and all numbers are then the least. `svc retention preview` looks through all.
         *
         *     Access: operator.
         */
        readonly get: operations["preview-retention"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the tokens of the tenant, revoked and expired ones too
         * @description Newest first, and all without a `limit`. With one, follow `next_cursor` for more.
         *
         *     Access: operator.
         */
        readonly get: operations["list-tokens"];
        readonly put?: never;
        /**
         * Creates a token
         * @description Only this answer ever shows `token`: the service keeps its hash.
         *
         *     Access: operator.
         */
        readonly post: operations["create-token"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tokens/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Revokes a token
         * @description Takes effect at once in the process that answers, and within seconds in all others. A second revocation changes nothing.
         *
         *     Access: operator.
         */
        readonly delete: operations["revoke-token"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tokens/{id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replaces a token with a new one
         * @description The new token has the name, role and lifetime of the old one; only this answer shows `token`. The old one is revoked at once, or stays valid for `grace_seconds`. A token is rotated once: a rotated, revoked or expired one gives 409.
         *
         *     Access: operator.
         */
        readonly post: operations["rotate-token"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Describes this API as an OpenAPI 3.1 document
         * @description Access: any token but a worker’s.
         */
        readonly get: operations["get-openapi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/workflow.schema.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Describes workflow definitions as a JSON Schema, for editors
         * @description Draft 2020-12. It allows only names that the runtime reads, so an editor marks all others; the runtime accepts those with a warning.
         *
         *     Access: any token but a worker’s.
         */
        readonly get: operations["get-workflow-schema"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A workflow definition. */
        readonly Workflow: {
            /** @description The id of the workflow. */
            readonly workflow_id: string;
            /** @description Any label. Default "1.0.0". */
            readonly version?: string | null;
            /** @description Name for people. */
            readonly name?: string | null;
            /** @description Its purpose. */
            readonly description?: string | null;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description Labels of its executions: text, or a path or an expression over the input. Null gives no label. */
            readonly execution_labels?: {
                readonly [key: string]: components["schemas"]["Mapping"];
            } | null;
            /** @description Where it begins. Default: `start`, or the only node nothing leads to. */
            readonly start_node?: components["schemas"]["NodeId"] | null;
            /** @description The input must satisfy it. Paths of the state are checked against it. */
            readonly state_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description The nodes by their ids. "end" is no node. */
            readonly nodes?: {
                readonly [key: string]: components["schemas"]["Node"];
            } | null;
            /** @description The control edges. */
            readonly edges?: readonly components["schemas"]["Edge"][] | null;
            /** @description Retry policies by name. */
            readonly retry_policies?: {
                readonly [key: string]: components["schemas"]["RetryPolicy"];
            } | null;
            /** @description Time limits. */
            readonly timeouts?: components["schemas"]["Timeouts"] | null;
            /** @description Language models by name. */
            readonly models?: {
                readonly [key: string]: components["schemas"]["Model"];
            } | null;
            /** @description Texts by name. */
            readonly prompts?: {
                readonly [key: string]: components["schemas"]["NamedPrompt"];
            } | null;
            /** @description Tools by name. */
            readonly tools?: {
                readonly [key: string]: components["schemas"]["Tool"];
            } | null;
            /** @description MCP servers by name. */
            readonly mcp_servers?: {
                readonly [key: string]: components["schemas"]["McpServer"];
            } | null;
            /** @description A2A agents by name. */
            readonly remote_agents?: {
                readonly [key: string]: components["schemas"]["RemoteAgent"];
            } | null;
            /** @description The tools and models that may be used. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Rules by name, for policy nodes. */
            readonly policies?: {
                readonly [key: string]: components["schemas"]["PolicyRules"];
            } | null;
            /** @description Values to hide or omit. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Most tokens of an execution: input and output together, or apart. */
            readonly token_budget?: number | {
                /** @description Most tokens of input. */
                readonly input_tokens?: number | null;
                /** @description Most tokens of output. */
                readonly output_tokens?: number | null;
                /** @description Most tokens of both together. */
                readonly total_tokens?: number | null;
            } | null;
            /** @description Most US dollars of an execution. */
            readonly cost_budget_usd?: number | null;
            /**
             * @description The consequence. Default `fail`.
             * @enum {unknown}
             */
            readonly on_budget_exceeded?: "fail" | "pause" | "warn" | null;
            /** @description When a run ends for another to continue. */
            readonly continue_as_new?: components["schemas"]["ContinueAsNew"] | null;
            /** @description How many of its executions run at a time. */
            readonly concurrency?: components["schemas"]["Concurrency"] | null;
            /** @description How many of its executions begin in a time. */
            readonly rate?: components["schemas"]["StartRate"] | null;
            /** @description The last of several starts that come soon after each other begins. */
            readonly debounce?: components["schemas"]["Debounce"] | null;
            /** @description One execution begins for several starts, with all of their inputs. */
            readonly batch?: components["schemas"]["Batch"] | null;
            /** @description Whose items take turns when workers claim from a queue. */
            readonly fairness?: components["schemas"]["Fairness"] | null;
            /** @description How long an execution waits before it begins. A start may say otherwise. */
            readonly start_after?: components["schemas"]["Duration"] | null;
            /** @description An execution that has not begun by then fails. A start may say otherwise. */
            readonly start_deadline?: components["schemas"]["Duration"] | null;
            /** @description Protocols that can reach it besides the API. */
            readonly expose?: components["schemas"]["Expose"] | null;
        };
        /** @description A step of the workflow. */
        readonly Node: {
            /** @description The kind, or an object with its type and fields. Default `pass`. */
            readonly kind?: ("pass" | "python_fn" | "python_tool" | "java_fn" | "java_tool" | "function" | "condition" | "branch" | "parallel" | "map" | "join" | "wait" | "human_approval" | "subgraph" | "limit_exceeded" | "fail" | "eval" | "policy" | "finalizer" | "tool" | "mcp_tool" | "model" | "a2a_task" | "agent" | "agent_tool" | "agent_discovery" | "coordinator" | "memory_retrieval" | null) | {
                /**
                 * @description The kind.
                 * @enum {unknown}
                 */
                readonly type: "pass" | "python_fn" | "python_tool" | "java_fn" | "java_tool" | "function" | "condition" | "branch" | "parallel" | "map" | "join" | "wait" | "human_approval" | "subgraph" | "limit_exceeded" | "fail" | "eval" | "policy" | "finalizer" | "tool" | "mcp_tool" | "model" | "a2a_task" | "agent" | "agent_tool" | "agent_discovery" | "coordinator" | "memory_retrieval";
            };
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "pass" | "python_fn" | "python_tool" | "java_fn" | "java_tool" | "function" | "condition" | "branch" | "parallel" | "map" | "join" | "wait" | "human_approval" | "subgraph" | "limit_exceeded" | "fail" | "eval" | "policy" | "finalizer" | "tool" | "mcp_tool" | "model" | "a2a_task" | "agent" | "agent_tool" | "agent_discovery" | "coordinator" | "memory_retrieval" | null;
        } & (unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown & unknown);
        /** @description A node of kind pass. */
        readonly PassNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "pass" | components["schemas"]["PassKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "pass" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The output. An object is merged into the state. */
            readonly output?: components["schemas"]["Mapping"] | null;
        };
        /** @description The kind pass with its fields. */
        readonly PassKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "pass";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The output. An object is merged into the state. */
            readonly output?: components["schemas"]["Mapping"] | null;
        };
        /** @description A node of kind python_fn. */
        readonly PythonFnNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: ("python_fn" | "python_tool") | components["schemas"]["PythonFnKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "python_fn" | "python_tool" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The module. */
            readonly module?: string | null;
            /** @description The function that a worker calls. */
            readonly function?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description The named queue that workers claim it from; the default queue without it. */
            readonly queue?: string | null;
            /** @description How many calls of this tool are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this tool begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
        };
        /** @description The kind python_fn with its fields. */
        readonly PythonFnKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "python_fn" | "python_tool";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The module. */
            readonly module?: string | null;
            /** @description The function that a worker calls. */
            readonly function?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description The named queue that workers claim it from; the default queue without it. */
            readonly queue?: string | null;
            /** @description How many calls of this tool are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this tool begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
        };
        /** @description A node of kind java_fn. */
        readonly JavaFnNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: ("java_fn" | "java_tool") | components["schemas"]["JavaFnKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "java_fn" | "java_tool" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The class. */
            readonly class_name?: string | null;
            /** @description The method that a worker calls. */
            readonly method?: string | null;
            /** @description The same as `class_name`. */
            readonly module?: string | null;
            /** @description The same as `method`. */
            readonly function?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description The named queue that workers claim it from; the default queue without it. */
            readonly queue?: string | null;
            /** @description How many calls of this tool are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this tool begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
        };
        /** @description The kind java_fn with its fields. */
        readonly JavaFnKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "java_fn" | "java_tool";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The class. */
            readonly class_name?: string | null;
            /** @description The method that a worker calls. */
            readonly method?: string | null;
            /** @description The same as `class_name`. */
            readonly module?: string | null;
            /** @description The same as `method`. */
            readonly function?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description The named queue that workers claim it from; the default queue without it. */
            readonly queue?: string | null;
            /** @description How many calls of this tool are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this tool begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
        };
        /** @description A node of kind function. */
        readonly FunctionNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "function" | components["schemas"]["FunctionKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "function" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The durable function that a worker runs. */
            readonly name?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description The named queue that workers claim it from; the default queue without it. */
            readonly queue?: string | null;
            /** @description Whether only workers of the build that began a visit get its later turns. Default false. */
            readonly pinned?: boolean | null;
            /** @description How many calls of this function are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this function begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
            /** @description Whether `node_timeout_secs` includes the time in which the function is suspended. Default true. */
            readonly count_suspended?: boolean | null;
        };
        /** @description The kind function with its fields. */
        readonly FunctionKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "function";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The durable function that a worker runs. */
            readonly name?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description The named queue that workers claim it from; the default queue without it. */
            readonly queue?: string | null;
            /** @description Whether only workers of the build that began a visit get its later turns. Default false. */
            readonly pinned?: boolean | null;
            /** @description How many calls of this function are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this function begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
            /** @description Whether `node_timeout_secs` includes the time in which the function is suspended. Default true. */
            readonly count_suspended?: boolean | null;
        };
        /** @description A node of kind condition. */
        readonly ConditionNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: ("condition" | "branch") | components["schemas"]["ConditionKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "condition" | "branch" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The first branch whose condition holds is taken. Without it the edges of the node say. */
            readonly branches?: readonly {
                /** @description Without one it is taken when no other is. */
                readonly condition?: components["schemas"]["Condition"] | null;
                /** @description The node that it leads to. */
                readonly target: components["schemas"]["Target"] | null;
            }[] | null;
        };
        /** @description The kind condition with its fields. */
        readonly ConditionKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "condition" | "branch";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The first branch whose condition holds is taken. Without it the edges of the node say. */
            readonly branches?: readonly {
                /** @description Without one it is taken when no other is. */
                readonly condition?: components["schemas"]["Condition"] | null;
                /** @description The node that it leads to. */
                readonly target: components["schemas"]["Target"] | null;
            }[] | null;
        };
        /** @description A node of kind parallel. */
        readonly ParallelNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "parallel" | components["schemas"]["ParallelKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "parallel" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The nodes that start. Without it the edges of the node say. */
            readonly branches?: readonly (components["schemas"]["Target"] | {
                /** @description The node that starts. */
                readonly target: components["schemas"]["Target"] | null;
            } | null)[] | null;
        };
        /** @description The kind parallel with its fields. */
        readonly ParallelKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "parallel";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The nodes that start. Without it the edges of the node say. */
            readonly branches?: readonly (components["schemas"]["Target"] | {
                /** @description The node that starts. */
                readonly target: components["schemas"]["Target"] | null;
            } | null)[] | null;
        };
        /** @description A node of kind map. */
        readonly MapNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "map" | components["schemas"]["MapKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "map" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The list: an expression, a path that starts with $, or a list. */
            readonly items?: components["schemas"]["Computed"] | null;
            /** @description The node that runs for each item: its id, or the node itself. */
            readonly node?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description Instead of `node`: a workflow that runs for each item. */
            readonly workflow_ref?: string | null;
            /** @description Version of `workflow_ref`. Default: the one registered last. */
            readonly workflow_version?: string | null;
            /** @description For `workflow_ref`: `output` is the last state of the child. */
            readonly output_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The item is `input.<item_key>`. Default `item`. */
            readonly item_key?: string | null;
            /** @description The most items that run at a time. Default 100. */
            readonly max_concurrency?: number | null;
            /**
             * @description How to treat a failed item. Default `fail`.
             * @enum {unknown}
             */
            readonly on_item_failure?: "fail" | "collect" | null;
        };
        /** @description The kind map with its fields. */
        readonly MapKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "map";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The list: an expression, a path that starts with $, or a list. */
            readonly items?: components["schemas"]["Computed"] | null;
            /** @description The node that runs for each item: its id, or the node itself. */
            readonly node?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description Instead of `node`: a workflow that runs for each item. */
            readonly workflow_ref?: string | null;
            /** @description Version of `workflow_ref`. Default: the one registered last. */
            readonly workflow_version?: string | null;
            /** @description For `workflow_ref`: `output` is the last state of the child. */
            readonly output_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The item is `input.<item_key>`. Default `item`. */
            readonly item_key?: string | null;
            /** @description The most items that run at a time. Default 100. */
            readonly max_concurrency?: number | null;
            /**
             * @description How to treat a failed item. Default `fail`.
             * @enum {unknown}
             */
            readonly on_item_failure?: "fail" | "collect" | null;
        };
        /** @description A node of kind join. */
        readonly JoinNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "join" | components["schemas"]["JoinKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "join" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The nodes that it waits for. Default: all that lead here. */
            readonly wait_for?: readonly components["schemas"]["NodeId"][] | null;
            /** @description How the outputs become one. Default `collect`. */
            readonly merge_strategy?: ("collect" | "first") | {
                /** @description The function. */
                readonly custom: {
                    /** @description `module:function` of a Python worker. */
                    readonly function_ref: string | null;
                };
            } | null;
        };
        /** @description The kind join with its fields. */
        readonly JoinKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "join";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The nodes that it waits for. Default: all that lead here. */
            readonly wait_for?: readonly components["schemas"]["NodeId"][] | null;
            /** @description How the outputs become one. Default `collect`. */
            readonly merge_strategy?: ("collect" | "first") | {
                /** @description The function. */
                readonly custom: {
                    /** @description `module:function` of a Python worker. */
                    readonly function_ref: string | null;
                };
            } | null;
        };
        /** @description A node of kind wait. */
        readonly WaitNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "wait" | components["schemas"]["WaitKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "wait" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /**
             * @description The condition of the wait.
             * @enum {unknown}
             */
            readonly condition?: "timer" | "external_event" | "either" | null;
            /** @description The key of the event. Default: the id of the node. */
            readonly correlation_key?: components["schemas"]["Mapping"] | null;
            /** @description A duration, an expression, or a path that starts with $. */
            readonly timeout_secs?: components["schemas"]["Computed"] | null;
            /** @description An ISO 8601 instant, an expression, or a path that starts with $. */
            readonly until?: components["schemas"]["Computed"] | null;
        };
        /** @description The kind wait with its fields. */
        readonly WaitKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "wait";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /**
             * @description The condition of the wait.
             * @enum {unknown}
             */
            readonly condition?: "timer" | "external_event" | "either" | null;
            /** @description The key of the event. Default: the id of the node. */
            readonly correlation_key?: components["schemas"]["Mapping"] | null;
            /** @description A duration, an expression, or a path that starts with $. */
            readonly timeout_secs?: components["schemas"]["Computed"] | null;
            /** @description An ISO 8601 instant, an expression, or a path that starts with $. */
            readonly until?: components["schemas"]["Computed"] | null;
        };
        /** @description A node of kind human_approval. */
        readonly HumanApprovalNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "human_approval" | components["schemas"]["HumanApprovalKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "human_approval" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description The question for the person. */
            readonly description?: string | null;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest wait. Default: `approval_timeout` of the workflow. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
        };
        /** @description The kind human_approval with its fields. */
        readonly HumanApprovalKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "human_approval";
            /** @description The question for the person. */
            readonly description?: string | null;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest wait. Default: `approval_timeout` of the workflow. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
        };
        /** @description A node of kind subgraph. */
        readonly SubgraphNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "subgraph" | components["schemas"]["SubgraphKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "subgraph" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The workflow that runs as a child. */
            readonly workflow_ref?: string | null;
            /** @description Its version. Default: the one registered last. */
            readonly workflow_version?: string | null;
            /** @description The output; in it `output` is the last state of the child. */
            readonly output_mapping?: components["schemas"]["Mapping"] | null;
            /**
             * @description How to treat a failed child. Default `fail`.
             * @enum {unknown}
             */
            readonly on_child_failure?: "fail" | "complete" | null;
        };
        /** @description The kind subgraph with its fields. */
        readonly SubgraphKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "subgraph";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The workflow that runs as a child. */
            readonly workflow_ref?: string | null;
            /** @description Its version. Default: the one registered last. */
            readonly workflow_version?: string | null;
            /** @description The output; in it `output` is the last state of the child. */
            readonly output_mapping?: components["schemas"]["Mapping"] | null;
            /**
             * @description How to treat a failed child. Default `fail`.
             * @enum {unknown}
             */
            readonly on_child_failure?: "fail" | "complete" | null;
        };
        /** @description A node of kind limit_exceeded. */
        readonly LimitExceededNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "limit_exceeded" | components["schemas"]["LimitExceededKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "limit_exceeded" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Why the execution ends. */
            readonly message?: string | null;
        };
        /** @description The kind limit_exceeded with its fields. */
        readonly LimitExceededKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "limit_exceeded";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Why the execution ends. */
            readonly message?: string | null;
        };
        /** @description A node of kind fail. */
        readonly FailNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "fail" | components["schemas"]["FailKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "fail" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The error of the execution: text, or a mapping that gives text. */
            readonly message?: components["schemas"]["Mapping"] | null;
            /** @description The error class, alike. Default `error`. */
            readonly class?: components["schemas"]["Mapping"] | null;
        };
        /** @description The kind fail with its fields. */
        readonly FailKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "fail";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The error of the execution: text, or a mapping that gives text. */
            readonly message?: components["schemas"]["Mapping"] | null;
            /** @description The error class, alike. Default `error`. */
            readonly class?: components["schemas"]["Mapping"] | null;
        };
        /** @description A node of kind eval. */
        readonly EvalNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "eval" | components["schemas"]["EvalKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "eval" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The scorers that judge it. */
            readonly scorers?: readonly components["schemas"]["Scorer"][] | null;
            /** @description The consequence when it does not pass. Default `fail`. */
            readonly on_fail?: ("fail" | "warn" | "retry") | {
                /** @description The node fails. */
                readonly fail?: unknown;
                /** @description The node completes. */
                readonly warn?: unknown;
                /** @description Back to a node. */
                readonly retry?: components["schemas"]["NodeId"] | {
                    /** @description Default: the node before. */
                    readonly target?: components["schemas"]["NodeId"] | null;
                } | null;
                /** @description Continues there, and nowhere else. */
                readonly branch?: components["schemas"]["Target"] | {
                    /** @description The node. */
                    readonly target: components["schemas"]["Target"] | null;
                } | null;
            } | null;
            /** @description How often `retry` goes back. Default 3. */
            readonly max_retries?: number | null;
            /** @description The value to judge. Default: the output of the previous node. */
            readonly input_expr?: components["schemas"]["Expression"] | null;
        };
        /** @description The kind eval with its fields. */
        readonly EvalKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "eval";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The scorers that judge it. */
            readonly scorers?: readonly components["schemas"]["Scorer"][] | null;
            /** @description The consequence when it does not pass. Default `fail`. */
            readonly on_fail?: ("fail" | "warn" | "retry") | {
                /** @description The node fails. */
                readonly fail?: unknown;
                /** @description The node completes. */
                readonly warn?: unknown;
                /** @description Back to a node. */
                readonly retry?: components["schemas"]["NodeId"] | {
                    /** @description Default: the node before. */
                    readonly target?: components["schemas"]["NodeId"] | null;
                } | null;
                /** @description Continues there, and nowhere else. */
                readonly branch?: components["schemas"]["Target"] | {
                    /** @description The node. */
                    readonly target: components["schemas"]["Target"] | null;
                } | null;
            } | null;
            /** @description How often `retry` goes back. Default 3. */
            readonly max_retries?: number | null;
            /** @description The value to judge. Default: the output of the previous node. */
            readonly input_expr?: components["schemas"]["Expression"] | null;
        };
        /** @description A node of kind policy. */
        readonly PolicyNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "policy" | components["schemas"]["PolicyKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "policy" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `policies`, by name. */
            readonly policy_ref?: string | null;
            /** @description The rules that must hold. */
            readonly rules?: readonly components["schemas"]["PolicyRule"][] | null;
            /** @description The consequence of a violated rule. Default `fail`. */
            readonly on_violation?: ("fail" | "warn") | {
                /** @description Continues there, and nowhere else. */
                readonly branch: components["schemas"]["Target"] | {
                    /** @description The node. */
                    readonly target: components["schemas"]["Target"] | null;
                } | null;
            } | null;
        };
        /** @description The kind policy with its fields. */
        readonly PolicyKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "policy";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `policies`, by name. */
            readonly policy_ref?: string | null;
            /** @description The rules that must hold. */
            readonly rules?: readonly components["schemas"]["PolicyRule"][] | null;
            /** @description The consequence of a violated rule. Default `fail`. */
            readonly on_violation?: ("fail" | "warn") | {
                /** @description Continues there, and nowhere else. */
                readonly branch: components["schemas"]["Target"] | {
                    /** @description The node. */
                    readonly target: components["schemas"]["Target"] | null;
                } | null;
            } | null;
        };
        /** @description A node of kind finalizer. */
        readonly FinalizerNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "finalizer" | components["schemas"]["FinalizerKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "finalizer" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `tools`, by name. */
            readonly tool_ref?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /**
             * @description At which ends of the execution it runs. Default `always`.
             * @enum {unknown}
             */
            readonly run_on?: "success" | "failure" | "always" | null;
        };
        /** @description The kind finalizer with its fields. */
        readonly FinalizerKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "finalizer";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `tools`, by name. */
            readonly tool_ref?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /**
             * @description At which ends of the execution it runs. Default `always`.
             * @enum {unknown}
             */
            readonly run_on?: "success" | "failure" | "always" | null;
        };
        /** @description A node of kind tool. */
        readonly ToolNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "tool" | components["schemas"]["ToolKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "tool" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `tools`, by name. */
            readonly tool_ref?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
        };
        /** @description The kind tool with its fields. */
        readonly ToolKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "tool";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `tools`, by name. */
            readonly tool_ref?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
        };
        /** @description A node of kind mcp_tool. */
        readonly McpToolNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "mcp_tool" | components["schemas"]["McpToolKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "mcp_tool" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `mcp_servers` by name, or one of the operator. */
            readonly server?: string | null;
            /** @description The tool. */
            readonly tool?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description How many calls of this tool are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this tool begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
        };
        /** @description The kind mcp_tool with its fields. */
        readonly McpToolKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "mcp_tool";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `mcp_servers` by name, or one of the operator. */
            readonly server?: string | null;
            /** @description The tool. */
            readonly tool?: string | null;
            /** @description The output must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description How many calls of this tool are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this tool begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
        };
        /** @description A node of kind model. */
        readonly ModelNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "model" | components["schemas"]["ModelKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "model" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description A model, or its name beside `provider`. */
            readonly model?: string | components["schemas"]["Model"] | null;
            /** @description The provider of `model`. */
            readonly provider?: string | null;
            /** @description Address for `model` beside `provider`. */
            readonly base_url?: string | null;
            /** @description The question to the model. */
            readonly prompt?: components["schemas"]["Prompt"] | null;
            /** @description Instead of `prompt`: one of `prompts` by name, a path, or the text itself. */
            readonly prompt_ref?: components["schemas"]["TextOrPath"] | null;
            /** @description Instructions for the model. */
            readonly system_prompt?: components["schemas"]["Prompt"] | null;
            /** @description The conversation before the prompt. */
            readonly messages?: components["schemas"]["Mapping"] | null;
            /** @description Tools that the model may request. */
            readonly tools?: readonly (string | {
                /** @description Up to 64 letters, digits, underscores and hyphens. */
                readonly name?: string | null;
                /** @description Description for the model. */
                readonly description?: string | null;
                /** @description Schema of its arguments, as in the APIs of OpenAI. */
                readonly parameters?: components["schemas"]["JsonSchema"] | null;
                /** @description Schema of its arguments. */
                readonly input_schema?: components["schemas"]["JsonSchema"] | null;
                /**
                 * @description For tools as in the APIs of OpenAI.
                 * @enum {unknown}
                 */
                readonly type?: "function" | null;
                /** @description For tools as in the APIs of OpenAI; without effect. */
                readonly strict?: unknown;
                /** @description The tool, as in Chat Completions. */
                readonly function?: {
                    /** @description Up to 64 letters, digits, underscores and hyphens. */
                    readonly name?: string | null;
                    /** @description Description for the model. */
                    readonly description?: string | null;
                    /** @description Schema of its arguments, as in the APIs of OpenAI. */
                    readonly parameters?: components["schemas"]["JsonSchema"] | null;
                    /** @description Without effect. */
                    readonly strict?: unknown;
                } | null;
            } | null)[] | null;
            /** @description The answer must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description How free the answer is. Default: that of the model. */
            readonly temperature?: number | null;
            /** @description Most tokens of the answer. */
            readonly max_tokens?: number | null;
            /** @description Whether the text is recorded as it comes. */
            readonly stream?: boolean | null;
            /** @description How many calls of this model are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this model begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
        };
        /** @description The kind model with its fields. */
        readonly ModelKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "model";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description A model, or its name beside `provider`. */
            readonly model?: string | components["schemas"]["Model"] | null;
            /** @description The provider of `model`. */
            readonly provider?: string | null;
            /** @description Address for `model` beside `provider`. */
            readonly base_url?: string | null;
            /** @description The question to the model. */
            readonly prompt?: components["schemas"]["Prompt"] | null;
            /** @description Instead of `prompt`: one of `prompts` by name, a path, or the text itself. */
            readonly prompt_ref?: components["schemas"]["TextOrPath"] | null;
            /** @description Instructions for the model. */
            readonly system_prompt?: components["schemas"]["Prompt"] | null;
            /** @description The conversation before the prompt. */
            readonly messages?: components["schemas"]["Mapping"] | null;
            /** @description Tools that the model may request. */
            readonly tools?: readonly (string | {
                /** @description Up to 64 letters, digits, underscores and hyphens. */
                readonly name?: string | null;
                /** @description Description for the model. */
                readonly description?: string | null;
                /** @description Schema of its arguments, as in the APIs of OpenAI. */
                readonly parameters?: components["schemas"]["JsonSchema"] | null;
                /** @description Schema of its arguments. */
                readonly input_schema?: components["schemas"]["JsonSchema"] | null;
                /**
                 * @description For tools as in the APIs of OpenAI.
                 * @enum {unknown}
                 */
                readonly type?: "function" | null;
                /** @description For tools as in the APIs of OpenAI; without effect. */
                readonly strict?: unknown;
                /** @description The tool, as in Chat Completions. */
                readonly function?: {
                    /** @description Up to 64 letters, digits, underscores and hyphens. */
                    readonly name?: string | null;
                    /** @description Description for the model. */
                    readonly description?: string | null;
                    /** @description Schema of its arguments, as in the APIs of OpenAI. */
                    readonly parameters?: components["schemas"]["JsonSchema"] | null;
                    /** @description Without effect. */
                    readonly strict?: unknown;
                } | null;
            } | null)[] | null;
            /** @description The answer must satisfy it. */
            readonly output_schema?: components["schemas"]["SchemaOrReference"] | null;
            /** @description How free the answer is. Default: that of the model. */
            readonly temperature?: number | null;
            /** @description Most tokens of the answer. */
            readonly max_tokens?: number | null;
            /** @description Whether the text is recorded as it comes. */
            readonly stream?: boolean | null;
            /** @description How many calls of this model are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this model begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
        };
        /** @description A node of kind a2a_task. */
        readonly A2aTaskNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "a2a_task" | components["schemas"]["A2aTaskKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "a2a_task" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `remote_agents`, by name. */
            readonly remote_agent?: string | null;
            /** @description A skill of the agent, by id or name. */
            readonly skill?: string | null;
            /** @description Whether the agent streams changes, if it can. */
            readonly stream?: boolean | null;
            /**
             * @description How to treat a question of the agent. Default `park`.
             * @enum {unknown}
             */
            readonly on_input_required?: "park" | "fail" | null;
        };
        /** @description The kind a2a_task with its fields. */
        readonly A2aTaskKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "a2a_task";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description One of `remote_agents`, by name. */
            readonly remote_agent?: string | null;
            /** @description A skill of the agent, by id or name. */
            readonly skill?: string | null;
            /** @description Whether the agent streams changes, if it can. */
            readonly stream?: boolean | null;
            /**
             * @description How to treat a question of the agent. Default `park`.
             * @enum {unknown}
             */
            readonly on_input_required?: "park" | "fail" | null;
        };
        /** @description A node of kind agent. */
        readonly AgentNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: ("agent" | "agent_tool") | components["schemas"]["AgentKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "agent" | "agent_tool" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The id of an agent, or a path that gives one. */
            readonly agent_ref?: components["schemas"]["TextOrPath"] | null;
            /** @description "auto", an id or a path, or {explicit: URL}. */
            readonly agent?: components["schemas"]["TextOrPath"] | {
                /** @description The address. */
                readonly explicit?: string | null;
                /** @description Any value: the agent is picked. */
                readonly auto?: unknown;
            } | null;
            /** @description The skill that is meant. */
            readonly skill?: string | null;
            /** @description An agent without one of them is no candidate. */
            readonly required_skills?: string | readonly string[] | null;
            /** @description The more of them an agent has, the better. */
            readonly preferred_skills?: string | readonly string[] | null;
            /** @description The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
            readonly weights?: {
                /** @description Weight of skills. */
                readonly skills?: number;
                /** @description Weight of trust. */
                readonly trust?: number;
                /** @description Weight of cost. */
                readonly cost?: number;
                /** @description Weight of latency. */
                readonly latency?: number;
            } | null;
            /**
             * @description Tiebreaker between equals. Default `agent_id`.
             * @enum {unknown}
             */
            readonly tiebreaker?: "model" | "agent_id" | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description US dollars that a call may cost. */
            readonly budget?: number | {
                /** @description US dollars. */
                readonly max_cost_usd?: number | null;
            } | null;
            /** @description Longest time in milliseconds. */
            readonly timeout_ms?: number | null;
            /** @description Whether the agent streams changes, if it can. */
            readonly stream?: boolean | null;
            /**
             * @description How to treat a question of the agent. Default `park`.
             * @enum {unknown}
             */
            readonly on_input_required?: "park" | "fail" | null;
        };
        /** @description The kind agent with its fields. */
        readonly AgentKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "agent" | "agent_tool";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The id of an agent, or a path that gives one. */
            readonly agent_ref?: components["schemas"]["TextOrPath"] | null;
            /** @description "auto", an id or a path, or {explicit: URL}. */
            readonly agent?: components["schemas"]["TextOrPath"] | {
                /** @description The address. */
                readonly explicit?: string | null;
                /** @description Any value: the agent is picked. */
                readonly auto?: unknown;
            } | null;
            /** @description The skill that is meant. */
            readonly skill?: string | null;
            /** @description An agent without one of them is no candidate. */
            readonly required_skills?: string | readonly string[] | null;
            /** @description The more of them an agent has, the better. */
            readonly preferred_skills?: string | readonly string[] | null;
            /** @description The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
            readonly weights?: {
                /** @description Weight of skills. */
                readonly skills?: number;
                /** @description Weight of trust. */
                readonly trust?: number;
                /** @description Weight of cost. */
                readonly cost?: number;
                /** @description Weight of latency. */
                readonly latency?: number;
            } | null;
            /**
             * @description Tiebreaker between equals. Default `agent_id`.
             * @enum {unknown}
             */
            readonly tiebreaker?: "model" | "agent_id" | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description US dollars that a call may cost. */
            readonly budget?: number | {
                /** @description US dollars. */
                readonly max_cost_usd?: number | null;
            } | null;
            /** @description Longest time in milliseconds. */
            readonly timeout_ms?: number | null;
            /** @description Whether the agent streams changes, if it can. */
            readonly stream?: boolean | null;
            /**
             * @description How to treat a question of the agent. Default `park`.
             * @enum {unknown}
             */
            readonly on_input_required?: "park" | "fail" | null;
        };
        /** @description A node of kind agent_discovery. */
        readonly AgentDiscoveryNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "agent_discovery" | components["schemas"]["AgentDiscoveryKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "agent_discovery" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The skill that is meant. */
            readonly skill?: string | null;
            /** @description An agent without one of them is no candidate. */
            readonly required_skills?: string | readonly string[] | null;
            /** @description The more of them an agent has, the better. */
            readonly preferred_skills?: string | readonly string[] | null;
            /** @description The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
            readonly weights?: {
                /** @description Weight of skills. */
                readonly skills?: number;
                /** @description Weight of trust. */
                readonly trust?: number;
                /** @description Weight of cost. */
                readonly cost?: number;
                /** @description Weight of latency. */
                readonly latency?: number;
            } | null;
            /**
             * @description Tiebreaker between equals. Default `agent_id`.
             * @enum {unknown}
             */
            readonly tiebreaker?: "model" | "agent_id" | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description US dollars that a call may cost. */
            readonly budget?: number | {
                /** @description US dollars. */
                readonly max_cost_usd?: number | null;
            } | null;
            /** @description Another state key for the output. */
            readonly output_binding?: string | null;
        };
        /** @description The kind agent_discovery with its fields. */
        readonly AgentDiscoveryKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "agent_discovery";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The skill that is meant. */
            readonly skill?: string | null;
            /** @description An agent without one of them is no candidate. */
            readonly required_skills?: string | readonly string[] | null;
            /** @description The more of them an agent has, the better. */
            readonly preferred_skills?: string | readonly string[] | null;
            /** @description The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
            readonly weights?: {
                /** @description Weight of skills. */
                readonly skills?: number;
                /** @description Weight of trust. */
                readonly trust?: number;
                /** @description Weight of cost. */
                readonly cost?: number;
                /** @description Weight of latency. */
                readonly latency?: number;
            } | null;
            /**
             * @description Tiebreaker between equals. Default `agent_id`.
             * @enum {unknown}
             */
            readonly tiebreaker?: "model" | "agent_id" | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description US dollars that a call may cost. */
            readonly budget?: number | {
                /** @description US dollars. */
                readonly max_cost_usd?: number | null;
            } | null;
            /** @description Another state key for the output. */
            readonly output_binding?: string | null;
        };
        /** @description A node of kind coordinator. */
        readonly CoordinatorNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "coordinator" | components["schemas"]["CoordinatorKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "coordinator" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The skill that is meant. */
            readonly skill?: string | null;
            /** @description An agent without one of them is no candidate. */
            readonly required_skills?: string | readonly string[] | null;
            /** @description The more of them an agent has, the better. */
            readonly preferred_skills?: string | readonly string[] | null;
            /** @description The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
            readonly weights?: {
                /** @description Weight of skills. */
                readonly skills?: number;
                /** @description Weight of trust. */
                readonly trust?: number;
                /** @description Weight of cost. */
                readonly cost?: number;
                /** @description Weight of latency. */
                readonly latency?: number;
            } | null;
            /**
             * @description Tiebreaker between equals. Default `agent_id`.
             * @enum {unknown}
             */
            readonly tiebreaker?: "model" | "agent_id" | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description US dollars that a call may cost. */
            readonly budget?: number | {
                /** @description US dollars. */
                readonly max_cost_usd?: number | null;
            } | null;
            /** @description Another state key for the output. */
            readonly output_binding?: string | null;
        };
        /** @description The kind coordinator with its fields. */
        readonly CoordinatorKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "coordinator";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description The skill that is meant. */
            readonly skill?: string | null;
            /** @description An agent without one of them is no candidate. */
            readonly required_skills?: string | readonly string[] | null;
            /** @description The more of them an agent has, the better. */
            readonly preferred_skills?: string | readonly string[] | null;
            /** @description The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
            readonly weights?: {
                /** @description Weight of skills. */
                readonly skills?: number;
                /** @description Weight of trust. */
                readonly trust?: number;
                /** @description Weight of cost. */
                readonly cost?: number;
                /** @description Weight of latency. */
                readonly latency?: number;
            } | null;
            /**
             * @description Tiebreaker between equals. Default `agent_id`.
             * @enum {unknown}
             */
            readonly tiebreaker?: "model" | "agent_id" | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description US dollars that a call may cost. */
            readonly budget?: number | {
                /** @description US dollars. */
                readonly max_cost_usd?: number | null;
            } | null;
            /** @description Another state key for the output. */
            readonly output_binding?: string | null;
        };
        /** @description A node of kind memory_retrieval. */
        readonly MemoryRetrievalNode: {
            /** @description The kind, or an object with its type and fields. */
            readonly kind?: "memory_retrieval" | components["schemas"]["MemoryRetrievalKind"] | null;
            /**
             * @description In place of `kind`.
             * @enum {unknown}
             */
            readonly type?: "memory_retrieval" | null;
            /** @description Must equal the key of the node. */
            readonly id?: string | null;
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description The tools and models that this node may use. */
            readonly policy?: components["schemas"]["Policy"] | null;
            /** @description Values to hide or omit in events of this node. */
            readonly data_policy?: components["schemas"]["DataPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /**
             * @description There is one memory.
             * @enum {unknown}
             */
            readonly connector_ref?: "memory" | "default" | null;
            /** @description An expression, or a path that starts with $. */
            readonly query_expr?: components["schemas"]["Computed"] | null;
            /** @description The same as `query_expr`. */
            readonly query?: components["schemas"]["Computed"] | null;
            /** @description Most facts. */
            readonly k?: number | null;
            /** @description Whose facts. */
            readonly agent_id?: components["schemas"]["Mapping"] | null;
            /** @description Whose facts. */
            readonly end_user_id?: components["schemas"]["Mapping"] | null;
        };
        /** @description The kind memory_retrieval with its fields. */
        readonly MemoryRetrievalKind: {
            /**
             * @description The kind.
             * @enum {unknown}
             */
            readonly type: "memory_retrieval";
            /** @description Purpose of the node. */
            readonly description?: unknown;
            /** @description Kept for your own readers and programs. */
            readonly labels?: unknown;
            /** @description The input of the node. Default: the whole state. */
            readonly input_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The state key that the output is put under. */
            readonly output_key?: string | null;
            /** @description How often the node is tried. Default: 3 attempts. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description Longest time of one attempt. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Where to continue when the node fails permanently. */
            readonly fallback_node?: components["schemas"]["Target"] | null;
            /** @description The node that undoes this one if the execution ends: its id, or the node itself. */
            readonly undo?: components["schemas"]["NodeId"] | components["schemas"]["Node"] | null;
            /** @description The ends at which it is undone. Default: both. */
            readonly undo_on?: readonly ("failed" | "cancelled")[] | null;
            /** @description Longest time of one attempt. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /**
             * @description There is one memory.
             * @enum {unknown}
             */
            readonly connector_ref?: "memory" | "default" | null;
            /** @description An expression, or a path that starts with $. */
            readonly query_expr?: components["schemas"]["Computed"] | null;
            /** @description The same as `query_expr`. */
            readonly query?: components["schemas"]["Computed"] | null;
            /** @description Most facts. */
            readonly k?: number | null;
            /** @description Whose facts. */
            readonly agent_id?: components["schemas"]["Mapping"] | null;
            /** @description Whose facts. */
            readonly end_user_id?: components["schemas"]["Mapping"] | null;
        };
        /** @description A way from one node to another. `source` and `target` say the same as `from` and `to`. */
        readonly Edge: {
            /** @description The node that it leaves. */
            readonly from?: components["schemas"]["NodeId"] | null;
            /** @description The same as `from`. */
            readonly source?: components["schemas"]["NodeId"] | null;
            /** @description The node that it leads to. */
            readonly to?: components["schemas"]["Target"] | null;
            /** @description The same as `to`. */
            readonly target?: components["schemas"]["Target"] | null;
            /** @description When the edge is taken. Without one: when no other edge is. */
            readonly condition?: components["schemas"]["Condition"] | null;
            /**
             * @description Whether the edge is for the success or the failure of the node.
             * @enum {unknown}
             */
            readonly on?: "success" | "failure" | null;
            /** @description For readers. */
            readonly description?: unknown;
            /** @description For your own readers and programs. */
            readonly labels?: unknown;
        };
        /** @description How often a node is tried, and when. */
        readonly RetryPolicy: {
            /** @description All attempts, the first included. Default 3. */
            readonly max_attempts?: number | null;
            /**
             * @description How the delays grow. Default `exponential`.
             * @enum {unknown}
             */
            readonly backoff?: "fixed" | "linear" | "exponential" | null;
            /** @description Before the second attempt. Default 1 s. */
            readonly initial_delay?: components["schemas"]["Duration"] | null;
            /** @description The same as `initial_delay`. */
            readonly initial_delay_secs?: components["schemas"]["Duration"] | null;
            /** @description Longest delay. Default 60 s. */
            readonly max_delay?: components["schemas"]["Duration"] | null;
            /** @description The same as `max_delay`. */
            readonly max_delay_secs?: components["schemas"]["Duration"] | null;
            /** @description Whether delays are spread. Default true. */
            readonly jitter?: boolean | null;
            /** @description Only these error classes are tried again. */
            readonly retryable_on?: readonly string[] | null;
            /** @description These error classes are never tried again. */
            readonly non_retryable_on?: readonly string[] | null;
            /** @description For readers. */
            readonly description?: unknown;
            /** @description For your own readers and programs. */
            readonly labels?: unknown;
        };
        /** @description Time limits of the workflow. */
        readonly Timeouts: {
            /** @description Longest time of one attempt of a node. Default 300 s. */
            readonly node_timeout?: components["schemas"]["Duration"] | null;
            /** @description The same as `node_timeout`. */
            readonly node_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Longest time of an execution. */
            readonly workflow_timeout?: components["schemas"]["Duration"] | null;
            /** @description The same as `workflow_timeout`. */
            readonly workflow_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description How often workers say that they live, at most 10 s. */
            readonly heartbeat_interval?: components["schemas"]["Duration"] | null;
            /** @description The same as `heartbeat_interval`. */
            readonly heartbeat_interval_secs?: components["schemas"]["Duration"] | null;
            /** @description Longest wait for the decision of a person. */
            readonly approval_timeout?: components["schemas"]["Duration"] | null;
            /** @description The same as `approval_timeout`. */
            readonly approval_timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Longest wait of work for a worker. */
            readonly schedule_to_start?: components["schemas"]["Duration"] | null;
            /** @description The same as `schedule_to_start`. */
            readonly schedule_to_start_secs?: components["schemas"]["Duration"] | null;
        };
        /** @description When a run ends for another to continue with its state. */
        readonly ContinueAsNew: {
            /** @description From this number of events. */
            readonly after_events?: number | null;
            /** @description When this holds. */
            readonly when?: components["schemas"]["Expression"] | null;
        };
        /** @description A start waits whether another of its key comes, which then displaces it. */
        readonly Debounce: {
            /** @description Starts with the same value displace each other. Default: all of the workflow. */
            readonly key?: components["schemas"]["Expression"] | null;
            /** @description How long a start waits for another. */
            readonly wait: components["schemas"]["Duration"] | null;
            /** @description From the first start that was displaced: one begins then in any case. Default: no limit. */
            readonly max_wait?: components["schemas"]["Duration"] | null;
        };
        /** @description Starts of a key gather. One execution then begins with the input `{"items": […]}`: their inputs in order. */
        readonly Batch: {
            /** @description Starts with the same value gather in one batch. Default: all of the workflow. */
            readonly key?: components["schemas"]["Expression"] | null;
            /** @description The batch closes with so many starts. */
            readonly max: number | null;
            /** @description The batch closes this long after its first start. */
            readonly wait: components["schemas"]["Duration"] | null;
        };
        /** @description How many executions begin in a time. The others wait in the order of their starts. */
        readonly StartRate: {
            /** @description Executions with the same value share the rate. Default: all of the workflow. */
            readonly key?: components["schemas"]["Expression"] | null;
            /** @description Executions in each `per`. */
            readonly limit: number | null;
            /** @description From one second to one day. */
            readonly per: components["schemas"]["Duration"] | null;
            /** @description The most that begin at once, after a rest. Default: `limit`. */
            readonly burst?: number | null;
        };
        /** @description How many executions run at a time. */
        readonly Concurrency: {
            /** @description Executions with the same value share the limit. Default: all of the workflow. */
            readonly key?: components["schemas"]["Expression"] | null;
            /** @description Most executions of a key at a time. */
            readonly limit: number | null;
            /**
             * @description The effect on a start when the limit is reached. Default `queue`.
             * @enum {unknown}
             */
            readonly when_full?: "queue" | "refuse" | "cancel_oldest" | null;
        };
        /** @description Keys take turns when workers claim from a queue, so no key waits for all items of another. */
        readonly Fairness: {
            /** @description Items of executions with the same value share the turns of the key. */
            readonly key: components["schemas"]["Expression"] | null;
            /** @description How many items a key gets while another of weight 1 gets one. Default 1. */
            readonly weight?: (number | null) | components["schemas"]["Expression"] | null;
        };
        /** @description Protocols that can reach the workflow besides the API. */
        readonly Expose: {
            /** @description Whether it is an agent of the Agent2Agent protocol. */
            readonly a2a?: boolean | null;
            /** @description Path of the result in the final state, such as $.reply. Default: the whole state. */
            readonly result?: string | null;
            /** @description Media types of the files that the agent takes. */
            readonly input_modes?: readonly string[] | null;
            /** @description Media types of the results that the agent gives. */
            readonly output_modes?: readonly string[] | null;
        };
        /** @description A language model. */
        readonly Model: {
            /** @description openai, anthropic, google, ollama, or one that the operator configures. */
            readonly provider: string | null;
            /** @description The name of the model at its provider. */
            readonly model: string | null;
            /** @description Address of the model, instead of that of the provider. */
            readonly base_url?: string | null;
            /** @description How free the answer is. */
            readonly temperature?: number | null;
            /** @description Most tokens of an answer. */
            readonly max_tokens?: number | null;
            /** @description Longest time of a call. Default 300 s. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description For nodes that have no retry policy of their own. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
            /** @description How many calls of this model are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this model begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
            /** @description For readers. */
            readonly description?: unknown;
            /** @description For your own readers and programs. */
            readonly labels?: unknown;
        };
        /** @description Text, or {text}. */
        readonly NamedPrompt: components["schemas"]["PromptText"] | {
            /** @description The text. */
            readonly text?: components["schemas"]["PromptText"] | null;
            /** @description For readers. */
            readonly description?: unknown;
            /** @description For your own readers and programs. */
            readonly labels?: unknown;
        } | null;
        /** @description A tool that tool nodes and models can call. */
        readonly Tool: {
            /**
             * @description Kind of the reference.
             * @enum {unknown}
             */
            readonly kind?: "http" | "python" | "mcp" | null;
            /**
             * @description The same as `kind`.
             * @enum {unknown}
             */
            readonly type?: "http" | "python" | "mcp" | null;
            /** @description A URL, `module:function` for python, `server/tool` for mcp. */
            readonly reference?: components["schemas"]["HttpUrl"] | null;
            /** @description The same as `reference`. */
            readonly url?: components["schemas"]["HttpUrl"] | null;
            /** @description Description for models. */
            readonly description?: string | null;
            /** @description Checked before the call; not for python. */
            readonly input_schema?: components["schemas"]["JsonSchema"] | null;
            /** @description Checked after the call. */
            readonly output_schema?: components["schemas"]["JsonSchema"] | null;
            /**
             * @description For `http`. Default GET, with a body POST.
             * @example GET
             * @example HEAD
             * @example POST
             * @example PUT
             * @example PATCH
             * @example DELETE
             */
            readonly method?: string | null;
            /** @description For `http`: texts by the name of the header. */
            readonly headers?: {
                readonly [key: string]: components["schemas"]["HttpHeader"];
            } | null;
            /** @description For `http`. Default: the input as JSON where the method has a body. */
            readonly body?: components["schemas"]["HttpBody"] | null;
            /** @description For `http`: how to transform the answer. It sees `output` as {status, headers, body}. */
            readonly response_mapping?: components["schemas"]["Mapping"] | null;
            /** @description The same as `response_mapping`. */
            readonly output_mapping?: components["schemas"]["Mapping"] | null;
            /** @description Longest time of a call over HTTP. Default 30 s, at most an hour. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description Largest answer. Default 1 MiB. */
            readonly response_bytes_max?: number | null;
            /** @description How many calls of this tool are under way at a time, in all executions of the tenant. */
            readonly concurrency?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description The most calls at a time. */
                readonly limit: number | null;
            } | null;
            /** @description How many calls of this tool begin in a time, in all executions of the tenant. */
            readonly rate?: {
                /** @description An expression over `input`, the input of the call. Default: one key. */
                readonly key?: string | null;
                /** @description Calls in each `per`. */
                readonly limit: number | null;
                /** @description From one second to one day. */
                readonly per: components["schemas"]["Duration"] | null;
                /** @description The most calls at once, after a rest. Default: `limit`. */
                readonly burst?: number | null;
            } | null;
            /** @description Kept, and without effect. */
            readonly permissions?: unknown;
            /** @description For your own readers and programs. */
            readonly labels?: unknown;
        };
        /** @description A server of the Model Context Protocol. */
        readonly McpServer: {
            /**
             * @description Default `streamable_http`.
             * @enum {unknown}
             */
            readonly transport?: "streamable_http" | "http_sse" | "stdio" | null;
            /** @description The address of the server. */
            readonly url?: string | null;
            /** @description For `stdio`: a program that the operator allows. */
            readonly command?: string | null;
            /** @description Arguments of the command. */
            readonly args?: readonly string[] | null;
            /** @description How to log in. */
            readonly auth?: components["schemas"]["Auth"] | null;
            /** @description For readers. */
            readonly description?: unknown;
            /** @description For your own readers and programs. */
            readonly labels?: unknown;
        };
        /** @description An agent of the Agent2Agent protocol. */
        readonly RemoteAgent: {
            /** @description The address of the agent. */
            readonly url: string | null;
            /** @description Where its card is. Default `/.well-known/agent-card.json`. */
            readonly agent_card_path?: string | null;
            /** @description How to log in. */
            readonly auth?: components["schemas"]["Auth"] | null;
            /** @description For readers. */
            readonly description?: unknown;
            /** @description For your own readers and programs. */
            readonly labels?: unknown;
        };
        /** @description How to log in: names of secrets, never secrets. */
        readonly Auth: {
            /**
             * @description `none` is the same as leaving `auth` out.
             * @enum {unknown}
             */
            readonly type: "none" | "bearer" | "api_key" | "oauth2" | null;
            /** @description For `bearer`: the variable that holds the token. */
            readonly token_env?: string | null;
            /** @description For `api_key`: the header that carries the key. */
            readonly header?: string | null;
            /** @description For `api_key`: the variable that holds the key. */
            readonly key_env?: string | null;
            /** @description For `oauth2`: the variable that holds the id of the client. */
            readonly client_id_env?: string | null;
            /** @description For `oauth2`: the variable that holds the secret. */
            readonly client_secret_env?: string | null;
            /** @description For `oauth2`: where tokens are given. */
            readonly token_url?: string | null;
        };
        /** @description The tools and models that may be used. A node counts before its workflow. */
        readonly Policy: {
            /** @description These tools are never called. */
            readonly blocked_tools?: components["schemas"]["Globs"] | null;
            /** @description A person must approve calls of these tools. */
            readonly require_approval_for?: components["schemas"]["Globs"] | null;
            /** @description Only these models are called. */
            readonly model_allowlist?: components["schemas"]["Globs"] | null;
        };
        /** @description A condition that must hold at a policy node. */
        readonly PolicyRule: {
            /** @description Shown in the event of a violation. */
            readonly name?: string | null;
            /** @description An expression that must be true. */
            readonly condition: components["schemas"]["Expression"] | null;
            /** @description The message of a violation. */
            readonly message?: string | null;
        };
        /** @description Rules that policy nodes name. */
        readonly PolicyRules: {
            /** @description All of them must hold. */
            readonly rules: readonly components["schemas"]["PolicyRule"][] | null;
            /** @description For readers. */
            readonly description?: unknown;
            /** @description For your own readers and programs. */
            readonly labels?: unknown;
        };
        /** @description Values that the API hides or omits in answers and records. */
        readonly DataPolicy: {
            /** @description Names or paths of fields, such as "customer.email". */
            readonly pii_fields?: readonly string[] | null;
            /** @description Kinds of values to detect in text. */
            readonly detectors?: readonly ("email" | "phone" | "credit_card" | "ssn" | "iban" | "ip_address")[] | null;
            /** @description The same as `detectors`. */
            readonly pii_detectors?: readonly ("email" | "phone" | "credit_card" | "ssn" | "iban" | "ip_address")[] | null;
            /**
             * @description How to treat a match.
             * @enum {unknown}
             */
            readonly action?: "mask" | "hash" | "remove" | null;
            /**
             * @description The same as `action`.
             * @enum {unknown}
             */
            readonly redaction_mode?: "mask" | "hash" | "remove" | null;
            /** @description Whether prompts may be recorded. */
            readonly retain_prompts?: boolean | null;
            /** @description Whether outputs may be recorded. */
            readonly retain_outputs?: boolean | null;
        };
        /** @description An expression over `output` and `state`, or one with a name and a weight. */
        readonly Check: components["schemas"]["Expression"] | {
            /** @description An expression that must be true. */
            readonly check?: components["schemas"]["Expression"] | null;
            /** @description Its name in results. */
            readonly name?: string | null;
            /** @description Its share of the score. Default 1. */
            readonly weight?: number | null;
        } | null;
        /** @description A scorer that gives an output a score from 0 to 1. */
        readonly Scorer: {
            /**
             * @description The kind of the scorer.
             * @enum {unknown}
             */
            readonly type: "assertion" | "latency" | "cost" | "llm_judge" | null;
            /** @description Its name in results. */
            readonly name?: string | null;
            /** @description Its share of the score. Default 1. */
            readonly weight?: number | null;
            /** @description The score that passes. */
            readonly threshold?: number | null;
            /** @description For `assertion`: what must hold. */
            readonly checks?: readonly components["schemas"]["Check"][] | null;
            /** @description For `assertion`: one check. */
            readonly check?: components["schemas"]["Check"] | null;
            /** @description For `latency`: milliseconds. */
            readonly max_ms?: number | null;
            /** @description For `latency`, instead of `max_ms`. */
            readonly max_secs?: components["schemas"]["Duration"] | null;
            /** @description For `cost`: US dollars. */
            readonly max_usd?: number | null;
            /** @description For `cost`: tokens. For a judge in place: the most tokens of its answer. */
            readonly max_tokens?: number | null;
            /** @description For `llm_judge`: what makes an output good. */
            readonly rubric?: string | null;
            /** @description The same as `rubric`. */
            readonly prompt?: string | null;
            /** @description One of `models` by name, provider/model, or a model. */
            readonly model_ref?: string | components["schemas"]["Model"] | null;
            /** @description A model, or its name beside `provider`. */
            readonly model?: string | components["schemas"]["Model"] | null;
            /** @description The provider of `model`. */
            readonly provider?: string | null;
            /** @description For a model in place. */
            readonly base_url?: string | null;
            /** @description For a model in place. */
            readonly temperature?: number | null;
            /** @description For a model in place. */
            readonly timeout_secs?: components["schemas"]["Duration"] | null;
            /** @description For a model in place. */
            readonly retry_policy?: string | components["schemas"]["RetryPolicy"] | null;
        };
        /** @description A CEL expression over `state`, `output` (of the node just done), `input` and `execution`. As a condition every value is true but null, false, 0, "", [] and {}. */
        readonly Expression: string;
        /** @description A CEL expression; true or "" is no condition. */
        readonly Condition: components["schemas"]["Expression"] | boolean;
        /** @description The source of a value: a path such as "$.order.id", {"expr": "…"}, {"literal": …}, or lists and objects of these. Anything else stands for itself. */
        readonly Mapping: unknown;
        /** @description Text is a CEL expression, or a path when it starts with $; the rest is a mapping. */
        readonly Computed: unknown;
        /** @description Text, or a path such as "$.order.id". */
        readonly TextOrPath: string;
        /** @description Text with {{ expression }} in it, a path that starts with $, or another mapping. */
        readonly Prompt: unknown;
        /** @description Text with {{ expression }} in it. */
        readonly PromptText: string;
        /** @description The URL. {order.id} is a path below the input, {state.region} one of the state, {{ expression }} an expression, ${secret:NAME} a secret. */
        readonly HttpUrl: string;
        /** @description Text with {{ expression }} and ${secret:NAME} in it, or a path. */
        readonly HttpHeader: string | number | boolean;
        /** @description An object is sent as JSON: its strings may be paths or templates. Text is sent as text. */
        readonly HttpBody: unknown;
        /** @description The id of a node. */
        readonly NodeId: string;
        /** @description The id of a node, or "end", which ends the path. */
        readonly Target: string;
        /** @description A JSON Schema. */
        readonly JsonSchema: Record<string, never>;
        /** @description A JSON Schema. Text is kept as a reference and not checked. */
        readonly SchemaOrReference: components["schemas"]["JsonSchema"] | string | null;
        /** @description Seconds as a number, or text such as "500ms", "2s", "5m", "1h", "7d". */
        readonly Duration: number | string;
        /** @description Names in which * stands for any characters and ? for one. */
        readonly Globs: readonly string[] | null;
        readonly AnyJson: unknown;
        readonly StateJson: unknown;
        /** @description As `StateJson`, and not null. */
        readonly StateValue: boolean | number | string | readonly components["schemas"]["StateJson"][] | {
            readonly [key: string]: components["schemas"]["StateJson"];
        };
        /** @description As `StateJson`, and an object. */
        readonly StateObject: {
            readonly [key: string]: components["schemas"]["StateJson"];
        };
        readonly Error: {
            readonly error: string;
        } & {
            readonly [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly "get-root": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly name: "svc";
                        readonly version: string;
                        readonly docs: string;
                        readonly openapi: string;
                        readonly health: string;
                    };
                };
            };
        };
    };
    readonly "get-health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly status: "ok";
                        readonly version: string;
                        /** @enum {string} */
                        readonly db: "connected" | "disconnected";
                    };
                };
            };
        };
    };
    readonly "get-ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @enum {string} */
                        readonly status: "ok" | "unavailable" | "draining";
                        readonly version: string;
                        /** @enum {string} */
                        readonly db: "connected" | "disconnected";
                    };
                };
            };
        };
    };
    readonly "who-am-i": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description The tenant that this request is about. */
                        readonly tenant_id: string;
                        /** @enum {string} */
                        readonly role: "operator" | "developer" | "reviewer" | "viewer" | "worker";
                        /** @description The token's name. */
                        readonly name: string;
                        readonly is_operator: boolean;
                        /** @description False where authentication is off, as under `svc dev`. */
                        readonly authenticated: boolean;
                        /** @description Whether the caller may name any tenant in X-Tenant-Id. */
                        readonly manages_tenants: boolean;
                        readonly version: string;
                        /** @description The routes that the role may use, with parameters as `:id`. */
                        readonly permissions: readonly {
                            readonly method: string;
                            readonly path: string;
                        }[];
                    };
                };
            };
        };
    };
    readonly "get-did": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly "@context": readonly string[];
                        /** @description `did:web:<host>%3A<port>` */
                        readonly id: string;
                        readonly service: readonly {
                            readonly id: string;
                            readonly type: string;
                            readonly serviceEndpoint: string;
                        }[];
                    };
                };
            };
        };
    };
    readonly "get-runtime-card": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
    readonly "get-agent-card": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly name: string;
                        readonly description: string;
                        readonly version: string;
                        readonly supportedInterfaces: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        readonly capabilities: {
                            readonly [key: string]: unknown;
                        };
                        readonly skills: readonly {
                            readonly [key: string]: unknown;
                        }[];
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
    readonly "list-workflows": {
        readonly parameters: {
            readonly query?: {
                readonly workflow_id?: string;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly workflows: readonly {
                            readonly workflow_id: string;
                            readonly version: string;
                            readonly revision: number;
                            readonly ir_hash: string;
                            /** Format: date-time */
                            readonly created_at: string;
                            /** @description The pause of the workflow, in all its versions; null: it is not paused. */
                            readonly pause: {
                                /**
                                 * @description `pausing`: nothing new begins, and the pause still takes hold, execution by execution · `paused`: all executions are held · `resuming`: they are being released.
                                 * @enum {string}
                                 */
                                readonly state: "pausing" | "paused" | "resuming";
                                /** @description The actor of the pause. */
                                readonly actor_id: string;
                                readonly reason: string | null;
                                /** Format: date-time */
                                readonly paused_at: string;
                                /** @description Actor of its end; null: it has not ended. */
                                readonly resumed_by: string | null;
                                readonly resumed_at: string | null;
                                /** @description Executions that it holds now. */
                                readonly held: number;
                                /** @description False: it holds more, not counted. */
                                readonly held_is_exact: boolean;
                            } | null;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "register-workflow": {
        readonly parameters: {
            readonly query?: {
                /** @description Whether warnings refuse the definition: 400, and nothing is stored. */
                readonly strict?: "true" | "false";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly ir: components["schemas"]["Workflow"];
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly workflow_id: string;
                        readonly version: string;
                        readonly revision: number;
                        readonly ir_hash: string;
                        readonly warnings: readonly {
                            /** @description The kind of warning, such as `unknown_field`. */
                            readonly code: string;
                            /** @description JSON pointer from the root of the IR. */
                            readonly pointer: string;
                            readonly message: string;
                        }[];
                    };
                };
            };
        };
    };
    readonly "validate-workflow": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly ir?: {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    } | null;
                    /** @description The definition as a file holds it, instead of `ir`. */
                    readonly text?: string | null;
                    /** @description The format of `text`. Default: JSON if it begins with a brace, otherwise YAML. */
                    readonly format?: ("json" | "yaml") | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly valid: boolean;
                        readonly problems: readonly {
                            /** @description JSON pointer from the root of the definition. */
                            readonly pointer: string;
                            readonly message: string;
                            /** @description Line in `text`; null without one. */
                            readonly line: number | null;
                            readonly column: number | null;
                        }[];
                        readonly warnings: readonly {
                            readonly code: string;
                            /** @description JSON pointer from the root of the definition. */
                            readonly pointer: string;
                            readonly message: string;
                            /** @description Line in `text`; null without one. */
                            readonly line: number | null;
                            readonly column: number | null;
                        }[];
                        /** @description Null: it cannot run. */
                        readonly definition: {
                            readonly workflow_id: string;
                            readonly version: string;
                            readonly ir_hash: string;
                            /** @description In the form that a registration stores. */
                            readonly ir: {
                                readonly [key: string]: unknown;
                            };
                            /** @enum {string} */
                            readonly registration: "new_workflow" | "new_version" | "new_revision" | "unchanged";
                            /** @description The revision it has after that. */
                            readonly revision: number;
                        } | null;
                    };
                };
            };
        };
    };
    readonly "simulate-workflow": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly ir: {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    };
                    readonly input?: components["schemas"]["StateObject"] | null;
                    readonly samples?: {
                        readonly [key: string]: {
                            /** @description Its output, the payload of the event it waits for, or the last state of its child. */
                            readonly output?: components["schemas"]["StateValue"] | null;
                            readonly state_patch?: components["schemas"]["StateObject"] | null;
                            /** @description It fails permanently, with this error. */
                            readonly error?: string | null;
                            readonly error_class?: string | null;
                            /** @description A person's decision. Default `approved`. */
                            readonly decision?: ("approved" | "rejected") | null;
                        };
                    } | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly status: string;
                        readonly state: {
                            readonly [key: string]: unknown;
                        };
                        readonly error: string | null;
                        readonly events: readonly {
                            readonly sequence: number;
                            readonly kind: string;
                            readonly node_id: string | null;
                            readonly payload: unknown;
                        }[];
                        /** @description Nodes that had no sample. */
                        readonly assumed: readonly string[];
                        /** @description False: it was cut off; a loop may not end. */
                        readonly is_complete: boolean;
                    };
                };
            };
        };
    };
    readonly "read-workflow": {
        readonly parameters: {
            readonly query?: {
                /** @description Default: the latest registered version. */
                readonly version?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description Workflow id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly workflow_id: string;
                        readonly version: string;
                        readonly revision: number;
                        readonly ir_hash: string;
                        /** Format: date-time */
                        readonly created_at: string;
                        /** @description The pause of the workflow, in all its versions; null: it is not paused. */
                        readonly pause: {
                            /**
                             * @description `pausing`: nothing new begins, and the pause still takes hold, execution by execution · `paused`: all executions are held · `resuming`: they are being released.
                             * @enum {string}
                             */
                            readonly state: "pausing" | "paused" | "resuming";
                            /** @description The actor of the pause. */
                            readonly actor_id: string;
                            readonly reason: string | null;
                            /** Format: date-time */
                            readonly paused_at: string;
                            /** @description Actor of its end; null: it has not ended. */
                            readonly resumed_by: string | null;
                            readonly resumed_at: string | null;
                            /** @description Executions that it holds now. */
                            readonly held: number;
                            /** @description False: it holds more, not counted. */
                            readonly held_is_exact: boolean;
                        } | null;
                        readonly ir: {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
    };
    readonly "pause-workflow": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Workflow id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description Reason for the pause. */
                    readonly reason?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly workflow_id: string;
                        /** @description The pause of the workflow, in all its versions; null: it is not paused. */
                        readonly pause: {
                            /**
                             * @description `pausing`: nothing new begins, and the pause still takes hold, execution by execution · `paused`: all executions are held · `resuming`: they are being released.
                             * @enum {string}
                             */
                            readonly state: "pausing" | "paused" | "resuming";
                            /** @description The actor of the pause. */
                            readonly actor_id: string;
                            readonly reason: string | null;
                            /** Format: date-time */
                            readonly paused_at: string;
                            /** @description Actor of its end; null: it has not ended. */
                            readonly resumed_by: string | null;
                            readonly resumed_at: string | null;
                            /** @description Executions that it holds now. */
                            readonly held: number;
                            /** @description False: it holds more, not counted. */
                            readonly held_is_exact: boolean;
                        } | null;
                    };
                };
            };
        };
    };
    readonly "resume-workflow": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Workflow id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly workflow_id: string;
                        /** @description The pause of the workflow, in all its versions; null: it is not paused. */
                        readonly pause: {
                            /**
                             * @description `pausing`: nothing new begins, and the pause still takes hold, execution by execution · `paused`: all executions are held · `resuming`: they are being released.
                             * @enum {string}
                             */
                            readonly state: "pausing" | "paused" | "resuming";
                            /** @description The actor of the pause. */
                            readonly actor_id: string;
                            readonly reason: string | null;
                            /** Format: date-time */
                            readonly paused_at: string;
                            /** @description Actor of its end; null: it has not ended. */
                            readonly resumed_by: string | null;
                            readonly resumed_at: string | null;
                            /** @description Executions that it holds now. */
                            readonly held: number;
                            /** @description False: it holds more, not counted. */
                            readonly held_is_exact: boolean;
                        } | null;
                    };
                };
            };
        };
    };
    readonly "list-executions": {
        readonly parameters: {
            readonly query?: {
                readonly status?: "running" | "paused" | "completed" | "failed" | "cancelled";
                readonly workflow_id?: string;
                /** @description Only the children of this execution. */
                readonly parent_execution_id?: string;
                /** @description ISO 8601, inclusive. */
                readonly created_after?: string;
                /** @description ISO 8601, exclusive. */
                readonly created_before?: string;
                /** @description Conditions joined by `and`, such as `status = failed and workflow = "orders" and error ~ "timeout" and started > -2h`. See the guide on finding executions. */
                readonly q?: string;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly executions: readonly {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly workflow_id: string;
                            /** @enum {string} */
                            readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                            /** Format: date-time */
                            readonly created_at: string;
                            readonly completed_at: string | null;
                            readonly workflow_version: string;
                            /** Format: date-time */
                            readonly started_at: string;
                            /** Format: date-time */
                            readonly updated_at: string;
                            readonly error: string | null;
                            readonly parent_execution_id: string | null;
                            readonly labels: {
                                readonly [key: string]: string;
                            };
                            /** @description The place that it waits for before it begins. Null: it has begun, or ended. */
                            readonly waiting_for: {
                                /** @enum {string} */
                                readonly kind: "concurrency" | "rate" | "debounce" | "batch" | "max_concurrent_executions" | "start_after";
                                /** @description Key of `concurrency`, `rate`, `debounce` or `batch`. Null: all executions of the workflow, or the tenant, share the places; or a data policy hides it. */
                                readonly key: string | null;
                                /** Format: date-time */
                                readonly since: string;
                                /** @description With `start_after` and `debounce`: when it begins. With `batch`: when the batch closes at the latest. */
                                readonly until: string | null;
                            } | null;
                            /** @description It was imported from a file: its events were recorded elsewhere, or earlier. */
                            readonly imported: {
                                /** Format: date-time */
                                readonly at: string;
                                readonly actor_id: string;
                                /** @description Hash of the document, in hex. */
                                readonly sha256: string;
                            } | null;
                            /** @description Class of the error. Null: it has not failed, or that is not known. */
                            readonly error_class: string | null;
                            /** @description The node that failed. Null: none did, or that is not known. */
                            readonly error_node_id: string | null;
                            /** @description The oldest approval that a person must decide. Null: none is open. */
                            readonly awaiting_approval: {
                                readonly node_id: string;
                                /** @description The approval of a durable function. Null: the node itself asks. */
                                readonly step: string | null;
                                /** Format: date-time */
                                readonly since: string;
                            } | null;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "start-execution": {
        readonly parameters: {
            readonly query?: {
                /** @description How long to wait for the end of the execution. Longer ones are taken for 60s. */
                readonly wait?: string;
                /** @description Adds the final `state` to the result. */
                readonly state?: "true" | "false";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly workflow_id: string;
                    /** @description Default: the latest registered version. */
                    readonly workflow_version?: string | null;
                    readonly input: components["schemas"]["StateObject"];
                    /** @description Names and values to find the execution by. Its children and retries have them too. */
                    readonly labels?: {
                        readonly [key: string]: string;
                    } | null;
                    /** @description It begins then: a duration from now like `10m`, or an instant with offset. Default: that of the workflow, or at once. */
                    readonly start_after?: (string | number) | null;
                    /** @description It fails unless it has begun by then: a duration from now, or an instant. Default: that of the workflow, or none. */
                    readonly start_deadline?: (string | number) | null;
                    /** @description How many executions with the same key run at a time. As in a definition; refused if the definition has one. */
                    readonly concurrency?: {
                        /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. Default: one key for all of the workflow. */
                        readonly key?: string;
                        readonly limit: number;
                        /**
                         * @default queue
                         * @enum {string}
                         */
                        readonly when_full?: "queue" | "refuse" | "cancel_oldest";
                    } | null;
                    /** @description How many executions with the same key begin in a time. As in a definition; refused if the definition has one. */
                    readonly rate?: {
                        /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. Default: one key for all of the workflow. */
                        readonly key?: string;
                        readonly limit: number;
                        readonly per: string | number;
                        /** @description Default: `limit`. */
                        readonly burst?: number;
                    } | null;
                    /** @description It waits whether another start of its key comes, which then displaces it. As in a definition; refused if the definition has one. */
                    readonly debounce?: {
                        /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. Default: one key for all of the workflow. */
                        readonly key?: string;
                        readonly wait: string | number;
                        readonly max_wait?: string | number;
                    } | null;
                    /** @description It gathers with others of its key, and one execution begins for all of them. As in a definition; refused if the definition has one. */
                    readonly batch?: {
                        /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. Default: one key for all of the workflow. */
                        readonly key?: string;
                        readonly max: number;
                        readonly wait: string | number;
                    } | null;
                    /** @description Its items take turns with those of other keys when workers claim from a queue. As in a definition; refused if the definition has one. */
                    readonly fairness?: {
                        /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. */
                        readonly key: string;
                        /** @description Items that the key gets while one of weight 1 gets one; or an expression over the input. Default: 1. */
                        readonly weight?: number | string;
                    } | null;
                    /** @description Work of this execution is handed out in this order: 0 first, 9 last, 5 by default. */
                    readonly priority?: number | null;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "completed" | "failed" | "cancelled";
                        /** @description The value under the `output_key` of the node that ends the workflow, if every node that can end it has the same one; otherwise the final state. Null if the execution did not complete. */
                        readonly output: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                        /** @description Null if and only if the execution completed. */
                        readonly error: {
                            readonly message: string;
                            /** @description Class of the failure, such as `timeout`; `cancelled` after a cancel. */
                            readonly class: string;
                            readonly node_id: string | null;
                        } | null;
                        /** @description The final state, with any status; only with `state=true`. */
                        readonly state?: {
                            readonly [key: string]: unknown;
                        };
                        /** @description The run that continues this one: ask for its result instead. */
                        readonly continued_as: string | null;
                    };
                };
            };
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                    };
                };
            };
            /** @description Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                    };
                };
            };
        };
    };
    readonly "start-executions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly executions: readonly {
                        readonly workflow_id: string;
                        /** @description Default: the latest registered version. */
                        readonly workflow_version?: string | null;
                        readonly input: components["schemas"]["StateObject"];
                        /** @description Names and values to find the execution by. Its children and retries have them too. */
                        readonly labels?: {
                            readonly [key: string]: string;
                        } | null;
                        /** @description It begins then: a duration from now like `10m`, or an instant with offset. Default: that of the workflow, or at once. */
                        readonly start_after?: (string | number) | null;
                        /** @description It fails unless it has begun by then: a duration from now, or an instant. Default: that of the workflow, or none. */
                        readonly start_deadline?: (string | number) | null;
                        /** @description How many executions with the same key run at a time. As in a definition; refused if the definition has one. */
                        readonly concurrency?: {
                            /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. Default: one key for all of the workflow. */
                            readonly key?: string;
                            readonly limit: number;
                            /**
                             * @default queue
                             * @enum {string}
                             */
                            readonly when_full?: "queue" | "refuse" | "cancel_oldest";
                        } | null;
                        /** @description How many executions with the same key begin in a time. As in a definition; refused if the definition has one. */
                        readonly rate?: {
                            /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. Default: one key for all of the workflow. */
                            readonly key?: string;
                            readonly limit: number;
                            readonly per: string | number;
                            /** @description Default: `limit`. */
                            readonly burst?: number;
                        } | null;
                        /** @description It waits whether another start of its key comes, which then displaces it. As in a definition; refused if the definition has one. */
                        readonly debounce?: {
                            /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. Default: one key for all of the workflow. */
                            readonly key?: string;
                            readonly wait: string | number;
                            readonly max_wait?: string | number;
                        } | null;
                        /** @description It gathers with others of its key, and one execution begins for all of them. As in a definition; refused if the definition has one. */
                        readonly batch?: {
                            /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. Default: one key for all of the workflow. */
                            readonly key?: string;
                            readonly max: number;
                            readonly wait: string | number;
                        } | null;
                        /** @description Its items take turns with those of other keys when workers claim from a queue. As in a definition; refused if the definition has one. */
                        readonly fairness?: {
                            /** @description An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant. */
                            readonly key: string;
                            /** @description Items that the key gets while one of weight 1 gets one; or an expression over the input. Default: 1. */
                            readonly weight?: number | string;
                        } | null;
                        /** @description Work of this execution is handed out in this order: 0 first, 9 last, 5 by default. */
                        readonly priority?: number | null;
                        /** @description As the `Idempotency-Key` header of `POST /executions`. */
                        readonly idempotency_key?: string | null;
                    }[];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly results: readonly ({
                            /** @description 201, or the status of the error that `POST /executions` would answer. */
                            readonly status: number;
                            /** @description With 201; with a 409 for a key, the execution that has the key. */
                            readonly execution_id?: string;
                            /** @description Absent with 201. */
                            readonly error?: string;
                            /** @description The `Retry-After` of the error, if it has one. */
                            readonly retry_after_seconds?: number;
                        } & {
                            readonly [key: string]: unknown;
                        })[];
                    };
                };
            };
        };
    };
    readonly "count-executions": {
        readonly parameters: {
            readonly query?: {
                readonly status?: "running" | "paused" | "completed" | "failed" | "cancelled";
                readonly workflow_id?: string;
                /** @description Only the children of this execution. */
                readonly parent_execution_id?: string;
                /** @description ISO 8601, inclusive. */
                readonly created_after?: string;
                /** @description ISO 8601, exclusive. */
                readonly created_before?: string;
                /** @description Conditions joined by `and`, such as `status = failed and workflow = "orders" and error ~ "timeout" and started > -2h`. See the guide on finding executions. */
                readonly q?: string;
                /** @description `status`, `workflow`, `version`, or a label such as `labels.customer`. */
                readonly group_by?: string;
                /** @description Values above 200 are taken for 200. */
                readonly buckets?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly total: number;
                        /** @description False: only the newest executions were looked through: 100,000 without groups and with conditions on the status and the start alone, 5,000 if a label is looked up, and 10,000 otherwise. */
                        readonly is_exact: boolean;
                        /** @description Without the statuses of no execution. */
                        readonly by_status: {
                            readonly [key: string]: number;
                        };
                        /** @description In the order of time. Empty if no execution fits. */
                        readonly histogram: readonly {
                            /** Format: date-time */
                            readonly from: string;
                            /** Format: date-time */
                            readonly before: string;
                            readonly by_status: {
                                readonly [key: string]: number;
                            };
                        }[];
                        /** @description The largest 100 groups of `group_by`, largest first; absent without it. The value of the executions without the label is null. */
                        readonly groups?: readonly {
                            readonly value: string | null;
                            readonly count: number;
                        }[];
                    };
                };
            };
        };
    };
    readonly "read-execution": {
        readonly parameters: {
            readonly query?: {
                /** @description `head` leaves state and input empty, however large they are. */
                readonly view?: "full" | "head";
            };
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly workflow_id: string;
                        /** @enum {string} */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                        /** Format: date-time */
                        readonly created_at: string;
                        readonly completed_at: string | null;
                        readonly workflow_version: string;
                        /** Format: date-time */
                        readonly started_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                        readonly error: string | null;
                        readonly parent_execution_id: string | null;
                        readonly labels: {
                            readonly [key: string]: string;
                        };
                        /** @description The place that it waits for before it begins. Null: it has begun, or ended. */
                        readonly waiting_for: {
                            /** @enum {string} */
                            readonly kind: "concurrency" | "rate" | "debounce" | "batch" | "max_concurrent_executions" | "start_after";
                            /** @description Key of `concurrency`, `rate`, `debounce` or `batch`. Null: all executions of the workflow, or the tenant, share the places; or a data policy hides it. */
                            readonly key: string | null;
                            /** Format: date-time */
                            readonly since: string;
                            /** @description With `start_after` and `debounce`: when it begins. With `batch`: when the batch closes at the latest. */
                            readonly until: string | null;
                        } | null;
                        /** @description It was imported from a file: its events were recorded elsewhere, or earlier. */
                        readonly imported: {
                            /** Format: date-time */
                            readonly at: string;
                            readonly actor_id: string;
                            /** @description Hash of the document, in hex. */
                            readonly sha256: string;
                        } | null;
                        readonly state: {
                            readonly [key: string]: unknown;
                        };
                        /** @description The same as `state`. */
                        readonly current_state: {
                            readonly [key: string]: unknown;
                        };
                        /** @description How the execution will end once its undos and finalizers are done. Null: it has none to wait for. */
                        readonly ending: {
                            /** @enum {string} */
                            readonly outcome: "completed" | "failed" | "cancelled";
                        } | null;
                        /** @description Its first cause, once it fails, also while undos and finalizers run. */
                        readonly failure: {
                            readonly error: string;
                            readonly error_class: string;
                            /** @description The node that failed. */
                            readonly node_id: string | null;
                        } | null;
                        /** @description Steps that the end undoes. Null: no step that has an undo is complete. */
                        readonly undo: {
                            /** @description Completed steps whose undo has not begun. */
                            readonly pending: number;
                            /** @description Undos that have begun, and dead letters among them. */
                            readonly under_way: number;
                            readonly undone: number;
                            /** @description Steps that the execution ends without undoing. */
                            readonly not_undone: readonly {
                                readonly node_id: string;
                                readonly visit: number;
                                readonly error: string;
                            }[];
                        } | null;
                        /** @description Number of `NodeCompleted` events. */
                        readonly steps_executed: number;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        /** @description The same as `input`. */
                        readonly initial_input: {
                            readonly [key: string]: unknown;
                        };
                        readonly waiting_on: readonly {
                            readonly node_id: string;
                            readonly visit: number;
                            readonly kind: string;
                            /** @enum {string} */
                            readonly waiting_for: "work" | "approval" | "timer" | "event" | "either" | "map" | "child" | "suspended";
                            readonly since: string | null;
                            readonly attempt: number;
                            readonly work_item_id: string | null;
                            readonly queue_type: string | null;
                            readonly correlation_key: string | null;
                            /** @description The child execution that the node waits for. */
                            readonly child_execution_id: string | null;
                        }[];
                        /** @description A child that has not begun: the tenant has no place for it yet. */
                        readonly waiting_for_place: {
                            /** Format: date-time */
                            readonly since: string;
                            /** @description Children that wait longer, counted to 1000. */
                            readonly ahead: number;
                            readonly max_concurrent_executions: number | null;
                        } | null;
                        /** @description The pauses of the execution; empty: none. */
                        readonly pauses: readonly {
                            /**
                             * @description `workflow`: its workflow was paused, and holds it with all the others.
                             * @enum {string}
                             */
                            readonly scope: "execution" | "workflow";
                            /** @description The actor of the pause. */
                            readonly actor_id: string;
                            readonly reason: string | null;
                        }[];
                        /** @description The run that this one continues. */
                        readonly continued_from: string | null;
                        /** @description The run that continues this one. */
                        readonly continued_as: string | null;
                        /** @description The execution that is tried again here. */
                        readonly retried_from: {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            /** @description Sequence of its last event before those of its end. */
                            readonly sequence: number;
                            /** @description The node that had failed. */
                            readonly node_id: string | null;
                        } | null;
                        /** @description The execution in which this one was tried again. */
                        readonly retried_as: string | null;
                        /** @description The execution whose beginning this one carries. */
                        readonly forked_from: {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            /** @description Sequence of the last event that it carries. */
                            readonly sequence: number;
                            /** @description The node that was asked for. */
                            readonly node_id: string | null;
                        } | null;
                        /** @description Model usage, including ended children. */
                        readonly usage: {
                            readonly input_tokens: number;
                            readonly output_tokens: number;
                            /** @description Cost of the calls with a known price. */
                            readonly cost_usd: number;
                        };
                    };
                };
            };
        };
    };
    readonly "read-result": {
        readonly parameters: {
            readonly query?: {
                /** @description How long to wait for the end. Longer ones are taken for 60s. */
                readonly wait?: string;
                /** @description Adds the final `state` to the result. */
                readonly state?: "true" | "false";
            };
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "completed" | "failed" | "cancelled";
                        /** @description The value under the `output_key` of the node that ends the workflow, if every node that can end it has the same one; otherwise the final state. Null if the execution did not complete. */
                        readonly output: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                        /** @description Null if and only if the execution completed. */
                        readonly error: {
                            readonly message: string;
                            /** @description Class of the failure, such as `timeout`; `cancelled` after a cancel. */
                            readonly class: string;
                            readonly node_id: string | null;
                        } | null;
                        /** @description The final state, with any status; only with `state=true`. */
                        readonly state?: {
                            readonly [key: string]: unknown;
                        };
                        /** @description The run that continues this one: ask for its result instead. */
                        readonly continued_as: string | null;
                    };
                };
            };
            /** @description Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                    };
                };
            };
        };
    };
    readonly "explain-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                        /**
                         * Format: date-time
                         * @description By the database's clock.
                         */
                        readonly as_of: string;
                        /** @description A process or worker works on it, or is about to. */
                        readonly moving: boolean;
                        /** @description The latest time at which something happens without help; overdue if past. */
                        readonly next_wake_up: string | null;
                        /** @description How the execution will end once its undos and finalizers are done. */
                        readonly ending: {
                            /** @enum {string} */
                            readonly outcome: "completed" | "failed" | "cancelled";
                        } | null;
                        /** @description Its first cause, if it will end as failed. */
                        readonly failure: {
                            readonly error: string;
                            readonly error_class: string;
                            /** @description The node that failed. */
                            readonly node_id: string | null;
                        } | null;
                        /** @description The first 100. */
                        readonly blockers: readonly {
                            /** @enum {string} */
                            readonly code: "history_unreadable" | "tenant_suspended" | "workflow_paused" | "paused_by_operator" | "no_scheduler" | "not_marked" | "work_missing" | "timer_missing" | "dead_lettered" | "no_worker_for_queue" | "no_worker_for_tool" | "no_worker_for_build" | "runnable_not_decided" | "budget_used_up" | "awaiting_approval" | "awaiting_event" | "waiting_for_place" | "waiting_for_quota" | "waiting_in_queue" | "retry_backoff_until" | "child_end_not_told" | "child_running" | "timer_until" | "lease_held_until" | "map_items_under_way" | "join_waiting_on" | "advancing";
                            /** @description Null: the execution as a whole. */
                            readonly node_id: string | null;
                            readonly visit: number | null;
                            readonly message: string;
                            readonly since: string | null;
                            /** @description When it passes or ends without help; null: at no set time. */
                            readonly until: string | null;
                            /** @description `until` has passed, and its consequence is not recorded yet. */
                            readonly overdue: boolean;
                            /** @description A process or worker works on it now. */
                            readonly moving: boolean;
                            readonly unblocked_by: string;
                            readonly work_item_id?: string;
                            readonly queue_type?: string;
                            /** @description A named queue that nobody claims from. */
                            readonly queue?: string;
                            /** @description A tool that nobody claims. */
                            readonly tool?: string;
                            /** @description The build that the function is pinned to. */
                            readonly build_id?: string;
                            readonly attempt?: number;
                            readonly worker_id?: string;
                            readonly lease_fence?: number;
                            /** @description From 1, in the order in which items are handed out. */
                            readonly position?: number;
                            readonly error?: string;
                            readonly correlation_key?: string;
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly child_execution_id?: string;
                            /**
                             * @description The code of the child's own first blocker.
                             * @enum {string}
                             */
                            readonly child_code?: "history_unreadable" | "tenant_suspended" | "workflow_paused" | "paused_by_operator" | "no_scheduler" | "not_marked" | "work_missing" | "timer_missing" | "dead_lettered" | "no_worker_for_queue" | "no_worker_for_tool" | "no_worker_for_build" | "runnable_not_decided" | "budget_used_up" | "awaiting_approval" | "awaiting_event" | "waiting_for_place" | "waiting_for_quota" | "waiting_in_queue" | "retry_backoff_until" | "child_end_not_told" | "child_running" | "timer_until" | "lease_held_until" | "map_items_under_way" | "join_waiting_on" | "advancing";
                            /** @description Nodes that a join waits for, or executions that have the places. */
                            readonly waits_for?: readonly string[];
                            readonly items_done?: number;
                            readonly items_total?: number;
                        }[];
                        readonly blockers_total: number;
                        /** @description Why it ended; null: it has not. */
                        readonly ended: {
                            readonly message: string;
                            readonly at: string | null;
                            readonly error: string | null;
                            readonly error_class: string | null;
                            readonly node_id: string | null;
                            readonly actor_id: string | null;
                            readonly continued_as: string | null;
                        } | null;
                    };
                };
            };
        };
    };
    readonly "read-events": {
        readonly parameters: {
            readonly query?: {
                /** @description Only events with a greater sequence. */
                readonly after?: number;
                /** @description Only events with a smaller sequence. Not for a stream. */
                readonly before?: number;
                readonly limit?: number;
                /** @description By sequence. Not for a stream. */
                readonly order?: "asc" | "desc";
                /** @description Kinds of events, with commas between them. Not for a stream. */
                readonly types?: string;
                /** @description `brief` leaves out members of payloads that are longer than 256 characters. It keeps the names, kinds and errors of longer `entries` and `waits`. Not for a stream. */
                readonly payload?: "full" | "brief";
            };
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly events: readonly {
                            /** @description From 1, without gaps. */
                            readonly sequence: number;
                            readonly kind: string;
                            readonly node_id: string | null;
                            /** Format: date-time */
                            readonly created_at: string;
                            readonly event_id: string;
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly actor_id: string;
                            readonly payload: {
                                readonly [key: string]: unknown;
                            };
                        }[];
                    };
                    readonly "text/event-stream": string;
                };
            };
        };
    };
    readonly "read-state": {
        readonly parameters: {
            readonly query?: {
                /** @description After this event, or as of this time. Default: the last. A sequence from 0, or an ISO 8601 time with its zone. */
                readonly at?: number | string;
                /** @description The same as `at`, for a sequence alone. */
                readonly sequence?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly sequence: number;
                        readonly last_sequence: number;
                        /**
                         * @description At that time.
                         * @enum {string}
                         */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                        /** @description When that event was recorded. */
                        readonly at: string | null;
                        readonly state: {
                            readonly [key: string]: unknown;
                        };
                        /** @description Members that are left out: the 100 largest. */
                        readonly omitted: readonly {
                            readonly key: string;
                            readonly chars: number;
                        }[];
                        readonly omitted_total: number;
                    };
                };
            };
        };
    };
    readonly "compare-state": {
        readonly parameters: {
            readonly query?: {
                /** @description The state after this event, or as of this time. Default: 0. A sequence from 0, or an ISO 8601 time with its zone. */
                readonly from?: number | string;
                /** @description The other state. Default: the last. A sequence from 0, or an ISO 8601 time with its zone. */
                readonly to?: number | string;
            };
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly from: number;
                        readonly to: number;
                        readonly changes: readonly {
                            /** @enum {string} */
                            readonly op: "add" | "remove" | "replace";
                            /** @description A JSON Pointer into the state. */
                            readonly path: string;
                            /** @description Null with `add`. */
                            readonly before: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                            /** @description Null with `remove`. */
                            readonly after: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                            /** @description The values are too large, and left out. */
                            readonly omitted: boolean;
                        }[];
                        /** @description There are more changes. */
                        readonly truncated: boolean;
                    };
                };
            };
        };
    };
    readonly "blame-state": {
        readonly parameters: {
            readonly query?: {
                /** @description After this event, or as of this time. Default: the last. A sequence from 0, or an ISO 8601 time with its zone. */
                readonly at?: number | string;
                /** @description The same as `at`, for a sequence alone. */
                readonly sequence?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly sequence: number;
                        readonly keys: readonly {
                            readonly key: string;
                            readonly sequence: number;
                            readonly kind: string;
                            readonly node_id: string | null;
                            readonly actor_id: string;
                            /** @description The worker, if one set it. */
                            readonly worker_id: string | null;
                            /** Format: date-time */
                            readonly at: string;
                            /** @description The decision or the external event that the event follows from. */
                            readonly cause: {
                                readonly sequence: number;
                                /** @enum {string} */
                                readonly kind: "ApprovalReceived" | "ExternalEventReceived";
                                readonly actor_id: string;
                                readonly user_id: string | null;
                            } | null;
                        }[];
                        /** @description The state has more keys. */
                        readonly truncated: boolean;
                    };
                };
            };
        };
    };
    readonly "read-timeline": {
        readonly parameters: {
            readonly query?: {
                /** @description As of this event. Default: the last. */
                readonly sequence?: number;
                /** @description Only visits of this node, and the items of its maps. */
                readonly node?: string;
                readonly status?: "queued" | "working" | "waiting" | "retrying" | "completed" | "failed" | "cancelled";
                /** @description Only visits that began after this event; `next_after` of the page before. */
                readonly after?: number;
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly sequence: number;
                        readonly last_sequence: number;
                        /** @enum {string} */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                        /** Format: date-time */
                        readonly started_at: string;
                        readonly ended_at: string | null;
                        /** @description Nodes that have begun: the first 500. */
                        readonly nodes: readonly {
                            readonly node_id: string;
                            readonly kind: string;
                            /**
                             * @description The status of its last visit. A node that runs the items of a map has that of the item that is furthest from done.
                             * @enum {string}
                             */
                            readonly status: "queued" | "working" | "waiting" | "retrying" | "completed" | "failed" | "cancelled";
                            readonly visits: number;
                            /** @description Attempts of the last visit, from 1. */
                            readonly attempts: number;
                            /** Format: date-time */
                            readonly started_at: string;
                            readonly ended_at: string | null;
                            readonly first_sequence: number;
                            readonly last_sequence: number;
                            readonly error: string | null;
                            readonly child_execution_id: string | null;
                            /** @description Nodes whose completion led here. */
                            readonly from: readonly string[];
                            /** @description Items of a map. */
                            readonly progress: {
                                readonly done: number;
                                readonly total: number;
                                readonly failed: number;
                            } | null;
                        }[];
                        readonly nodes_total: number;
                        readonly visits: readonly {
                            readonly node_id: string;
                            readonly visit: number;
                            readonly kind: string;
                            readonly scheduled_sequence: number;
                            /** @description The item of the map whose visit this is. */
                            readonly item: {
                                readonly node_id: string;
                                readonly visit: number;
                                readonly index: number;
                            } | null;
                            readonly item_count: number | null;
                            /** @description The last 50, in order; each ends where the next one begins. */
                            readonly stretches: readonly {
                                /** @enum {string} */
                                readonly activity: "queued" | "working" | "waiting" | "retrying";
                                readonly sequence: number;
                                /** Format: date-time */
                                readonly at: string;
                                readonly attempt: number;
                                readonly child_execution_id: string | null;
                            }[];
                            readonly end: {
                                /** @enum {string} */
                                readonly outcome: "completed" | "failed" | "cancelled";
                                readonly sequence: number;
                                /** Format: date-time */
                                readonly at: string;
                                readonly error: string | null;
                            } | null;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_after: number | null;
                    };
                };
            };
        };
    };
    readonly "export-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly format: "svc.execution.1";
                        readonly execution: {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly tenant_id: string;
                            readonly definition_id: string;
                            readonly workflow_id: string;
                            readonly workflow_version: string;
                            readonly parent_execution_id: string | null;
                            /** @enum {string} */
                            readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                            readonly last_sequence: number;
                            readonly shard: number;
                            readonly priority: number;
                            readonly error: string | null;
                            /** Format: date-time */
                            readonly created_at: string;
                            /** Format: date-time */
                            readonly updated_at: string;
                            readonly completed_at: string | null;
                        };
                        readonly definition: {
                            readonly definition_id: string;
                            readonly revision: number;
                            readonly ir_hash: string;
                            readonly ir: {
                                readonly [key: string]: unknown;
                            };
                        };
                        readonly events: readonly {
                            readonly sequence: number;
                            readonly kind: string;
                            readonly node_id: string | null;
                            readonly payload: {
                                readonly [key: string]: unknown;
                            };
                            readonly actor_id: string;
                            /** Format: date-time */
                            readonly created_at: string;
                        }[];
                        readonly snapshot: {
                            readonly sequence: number;
                            readonly body: string;
                        } | null;
                        /** @description Results kept for replay. The events have those of completions under a fence. */
                        readonly recorded_outputs: readonly {
                            readonly idempotency_key: string;
                            readonly work_item_id: string;
                            readonly event_sequence: number | null;
                            readonly output: unknown;
                            readonly state_patch: {
                                readonly [key: string]: unknown;
                            } | null;
                            /** Format: date-time */
                            readonly created_at: string;
                        }[];
                        readonly artifacts: readonly {
                            readonly hash: string;
                            readonly size: number;
                            readonly content_type: string;
                            /** @description Null: left out; `GET /artifacts/{hash}` has it. */
                            readonly content_base64: string | null;
                        }[];
                        /** @description True: people's data is hidden as the data policy of the workflow asks. */
                        readonly redacted: boolean;
                        /** @description Hash of the canonical JSON (RFC 8785) of all other fields, in hex. */
                        readonly sha256: string;
                    };
                };
            };
        };
    };
    readonly "import-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @constant */
                    readonly format: "svc.execution.1";
                    readonly execution: {
                        readonly execution_id: string;
                        readonly tenant_id: string;
                        readonly definition_id: string;
                        readonly workflow_id: string;
                        readonly workflow_version: string;
                        readonly parent_execution_id: string | null;
                        /** @enum {string} */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                        readonly last_sequence: number;
                        readonly priority: number;
                        readonly error: string | null;
                        readonly created_at: string;
                        readonly updated_at: string;
                        readonly completed_at: string | null;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** @description `ir` may be left out where the definition is known here. */
                    readonly definition: {
                        readonly definition_id: string;
                        readonly revision: number;
                        readonly ir_hash: string;
                        readonly ir?: {
                            readonly [key: string]: components["schemas"]["AnyJson"];
                        };
                    } & {
                        readonly [key: string]: unknown;
                    };
                    readonly events: readonly ({
                        readonly sequence: number;
                        readonly kind: string;
                        readonly node_id: string | null;
                        readonly payload: {
                            readonly [key: string]: components["schemas"]["AnyJson"];
                        };
                        readonly actor_id: string;
                        readonly created_at: string;
                    } & {
                        readonly [key: string]: unknown;
                    })[];
                    /** @description Not read: the events determine the state. */
                    readonly snapshot: unknown;
                    /** @description Not read: no longer needed. */
                    readonly recorded_outputs: unknown;
                    readonly artifacts?: readonly ({
                        readonly hash: string;
                        readonly size: number;
                        readonly content_type: string;
                        readonly content_base64: string | null;
                    } & {
                        readonly [key: string]: unknown;
                    })[];
                    readonly redacted?: boolean;
                    /** @description If present, it must match. */
                    readonly sha256?: string;
                } & {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "completed" | "failed" | "cancelled";
                        readonly events: number;
                        /** @description False: it existed with the same history; nothing was written. */
                        readonly imported: boolean;
                        /** @description It was removed here, and is back. */
                        readonly restored: boolean;
                        /** @description Contents that its events refer to and that are missing from the document and from this runtime: upload them with `POST /artifacts`. */
                        readonly missing_artifacts: readonly string[];
                    };
                };
            };
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "completed" | "failed" | "cancelled";
                        readonly events: number;
                        /** @description False: it existed with the same history; nothing was written. */
                        readonly imported: boolean;
                        /** @description It was removed here, and is back. */
                        readonly restored: boolean;
                        /** @description Contents that its events refer to and that are missing from the document and from this runtime: upload them with `POST /artifacts`. */
                        readonly missing_artifacts: readonly string[];
                    };
                };
            };
        };
    };
    readonly "cancel-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @constant */
                        readonly status: "cancelled";
                        /** @description How the execution will end once its undos and finalizers are done. */
                        readonly ending?: {
                            /** @enum {string} */
                            readonly outcome: "completed" | "failed" | "cancelled";
                        };
                    };
                };
            };
        };
    };
    readonly "pause-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description Reason for the pause. */
                    readonly reason?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                        /** @description The pauses of the execution; empty: none. */
                        readonly pauses: readonly {
                            /**
                             * @description `workflow`: its workflow was paused, and holds it with all the others.
                             * @enum {string}
                             */
                            readonly scope: "execution" | "workflow";
                            /** @description The actor of the pause. */
                            readonly actor_id: string;
                            readonly reason: string | null;
                        }[];
                    };
                };
            };
        };
    };
    readonly "resume-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                        /** @description The pauses of the execution; empty: none. */
                        readonly pauses: readonly {
                            /**
                             * @description `workflow`: its workflow was paused, and holds it with all the others.
                             * @enum {string}
                             */
                            readonly scope: "execution" | "workflow";
                            /** @description The actor of the pause. */
                            readonly actor_id: string;
                            readonly reason: string | null;
                        }[];
                    };
                };
            };
        };
    };
    readonly "move-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The build; null: the one of the worker that claims the next turn. */
                    readonly build_id: string | null;
                    /** @description Only functions of this node. Absent: all. */
                    readonly node_id?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly build_id: string | null;
                        readonly moved: readonly {
                            readonly node_id: string;
                            readonly visit: number;
                            /** @description The build that it was pinned to. */
                            readonly from: string;
                        }[];
                    };
                };
            };
        };
    };
    readonly "retry-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description JSON Merge Patch (RFC 7396) of the new execution’s first state. */
                    readonly state_patch?: components["schemas"]["StateObject"] | null;
                    /** @description `latest`: use the latest registered definition, which must have the nodes that run next; `same`, the default: use that of the execution. */
                    readonly revision?: ("same" | "latest") | null;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly retried_from: string;
                    };
                };
            };
        };
    };
    readonly "fork-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description A node id, or the sequence of an event from 1. */
                    readonly at: number | string;
                    /** @description Which visit of the node; the last one unless given. */
                    readonly visit?: number | null;
                    /** @description For a `map`: `failed` runs the items again that did not succeed, with the results of the others; `all` is the default. */
                    readonly items?: ("all" | "failed") | null;
                    /** @description JSON Merge Patch (RFC 7396) of the state that the fork begins with. */
                    readonly patch?: components["schemas"]["StateObject"] | null;
                    /** @description `latest`: use the latest registered definition, which must have the nodes that run next; `same`, the default: use that of the execution. */
                    readonly revision?: ("same" | "latest") | null;
                    readonly dry_run?: boolean | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly forked_from: string;
                        /** @description The last event of the original that the fork carries. */
                        readonly sequence: number;
                        /** @description The node that the request named. */
                        readonly node_id: string | null;
                        /** @description Nodes that begin at once. */
                        readonly begins: readonly string[];
                        /** @description Completed visits, whose results the fork keeps. */
                        readonly kept: readonly {
                            readonly node_id: string;
                            readonly visits: number;
                        }[];
                        /** @description Visits of the original that were in progress at the point or began after it. The fork runs their nodes again where it comes to them. */
                        readonly left: readonly {
                            readonly node_id: string;
                            readonly visits: number;
                        }[];
                        /** @description Maps that begin again, with the items that do not run again. */
                        readonly maps: readonly {
                            readonly node_id: string;
                            readonly kept_items: number;
                        }[];
                        /** @description Approved visits: an approval stays valid for a call with the same hash. */
                        readonly approvals: readonly {
                            readonly node_id: string;
                            readonly visits: number;
                        }[];
                        /** @description External events that no node has taken. */
                        readonly waiting_events: number;
                        /** @description Completed visits that the original has undone since: the fork keeps their results, although their effects were taken back. */
                        readonly undone: readonly {
                            readonly node_id: string;
                            readonly visit: number;
                        }[];
                    };
                };
            };
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly forked_from: string;
                        /** @description The last event of the original that the fork carries. */
                        readonly sequence: number;
                        /** @description The node that the request named. */
                        readonly node_id: string | null;
                    };
                };
            };
        };
    };
    readonly "list-forks": {
        readonly parameters: {
            readonly query?: {
                /** @description Values above 100 are taken for 100. */
                readonly limit?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly forks: readonly {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            /** @enum {string} */
                            readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                            readonly sequence: number;
                            readonly node_id: string | null;
                            readonly actor_id: string;
                            /** Format: date-time */
                            readonly forked_at: string;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "bulk-executions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @enum {string} */
                    readonly action: "cancel" | "pause" | "resume" | "retry";
                    readonly filter: {
                        readonly workflow_id?: string | null;
                        readonly status?: ("running" | "paused" | "completed" | "failed" | "cancelled") | null;
                        /** @description Only its children. */
                        readonly parent_execution_id?: string | null;
                        /** @description ISO 8601, inclusive. */
                        readonly created_after?: string | null;
                        /** @description ISO 8601, exclusive. */
                        readonly created_before?: string | null;
                        readonly q?: string | null;
                    };
                    /** @description Reason for the pause. */
                    readonly reason?: string | null;
                    readonly dry_run?: boolean | null;
                    /** @description At most so many in one request; 100 by default. */
                    readonly max?: number | null;
                    readonly cursor?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly results: readonly {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly workflow_id: string;
                            /**
                             * @description As it was before.
                             * @enum {string}
                             */
                            readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
                            /** Format: date-time */
                            readonly created_at: string;
                            /** @enum {string} */
                            readonly outcome: "done" | "refused" | "previewed";
                            /** @description Why it was refused. */
                            readonly error: string | null;
                            readonly retried_as: string | null;
                            /** @description How the execution will end once its undos and finalizers are done. */
                            readonly ending?: {
                                /** @enum {string} */
                                readonly outcome: "completed" | "failed" | "cancelled";
                            };
                        }[];
                        /** @description Null: there are no more. */
                        readonly next_cursor: string | null;
                        /** @description For a `dry_run`: the number of matches. */
                        readonly total: number | null;
                        /** @description False: there are more than `total`. */
                        readonly total_is_exact: boolean;
                    };
                };
            };
        };
    };
    readonly "approve-execution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @enum {string} */
                    readonly decision: "approved" | "rejected";
                    /** @description Required when several approvals are open. */
                    readonly node_id?: string | null;
                    /** @description The user who decides. */
                    readonly user_id?: string | null;
                    readonly comment?: string | null;
                    /** @description The `shown_hash` that was decided on. 409 when the open approval shows something else. */
                    readonly shown_hash?: string | null;
                    /** @description The approval of a durable function; required when it waits for several. */
                    readonly step?: string | null;
                    /** @description JSON Merge Patch (RFC 7396) of the state, applied on approval only. */
                    readonly state_patch?: components["schemas"]["StateObject"] | null;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly accepted: boolean;
                        readonly node_id: string | null;
                        readonly step?: string;
                    };
                };
            };
        };
    };
    readonly "list-approvals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly pending: readonly {
                            readonly node_id: string;
                            readonly visit: number;
                            readonly description: string | null;
                            /** Format: date-time */
                            readonly requested_at: string;
                            readonly timeout_ms: number | null;
                            /** @description When it ends without a decision; null: never, or its time stands still. */
                            readonly deadline_at: string | null;
                            /** @description After a rejection, and at the deadline. `fail`: the node fails · `continue`: the nodes of `to` follow · `code`: the code of the function decides. */
                            readonly otherwise: {
                                /** @enum {string} */
                                readonly outcome: "fail" | "continue" | "code";
                                readonly to: readonly string[];
                            };
                            /** @description The tool that is called after a yes. */
                            readonly tool: string | null;
                            /** @description Arguments of the call, as data policies show them; null without a tool. */
                            readonly arguments: unknown;
                            /** @description The action after an approval, such as the tool and its input. */
                            readonly shown: {
                                readonly [key: string]: unknown;
                            } | null;
                            /** @description SHA-256 of the canonical JSON of `shown`. */
                            readonly shown_hash: string | null;
                            /** @description The approval of a durable function. */
                            readonly step?: string;
                        }[];
                        readonly decided: readonly {
                            readonly node_id: string;
                            readonly visit: number;
                            /** @enum {string} */
                            readonly decision: "approved" | "rejected";
                            readonly user_id: string | null;
                            readonly comment: string | null;
                            readonly shown_hash: string | null;
                            readonly step?: string;
                            /** Format: date-time */
                            readonly decided_at: string;
                        }[];
                    };
                };
            };
        };
    };
    readonly "deliver-external-event": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly correlation_key: string;
                    /** @description Any JSON value but null. */
                    readonly payload: components["schemas"]["StateValue"];
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly accepted: boolean;
                    };
                };
            };
        };
    };
    readonly "list-all-approvals": {
        readonly parameters: {
            readonly query?: {
                readonly status?: "pending" | "decided";
                readonly workflow_id?: string;
                readonly node_id?: string;
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly approvals: readonly {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly workflow_id: string;
                            readonly node_id: string;
                            readonly visit: number;
                            /** @description The approval of a durable function. */
                            readonly step: string | null;
                            readonly description: string | null;
                            /** Format: date-time */
                            readonly requested_at: string;
                            /** @description How long it has waited; of a decided one, until the decision. */
                            readonly age_seconds: number;
                            /** @description When it ends without a decision; null: never, or its time stands still. */
                            readonly deadline_at: string | null;
                            /** @description After a rejection, and at the deadline. `fail`: the node fails · `continue`: the nodes of `to` follow · `code`: the code of the function decides. */
                            readonly otherwise: {
                                /** @enum {string} */
                                readonly outcome: "fail" | "continue" | "code";
                                readonly to: readonly string[];
                            };
                            /** @description The tool that is called after a yes. */
                            readonly tool: string | null;
                            /** @description Arguments of the call; null without a tool. */
                            readonly arguments: unknown;
                            /** @description The action after an approval. */
                            readonly shown: {
                                readonly [key: string]: unknown;
                            } | null;
                            /** @description SHA-256 of the canonical JSON of `shown`; a decision may name it. */
                            readonly shown_hash: string | null;
                            readonly decision: ("approved" | "rejected") | null;
                            readonly user_id: string | null;
                            /** @description The caller that sent the decision. */
                            readonly actor_id: string | null;
                            readonly comment: string | null;
                            readonly decided_at: string | null;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "decide-approvals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The reason of each decision that has no comment of its own. */
                    readonly comment?: string | null;
                    readonly decisions: readonly {
                        readonly execution_id: string;
                        /** @enum {string} */
                        readonly decision: "approved" | "rejected";
                        readonly node_id?: string | null;
                        readonly step?: string | null;
                        /** @description The user who decides. */
                        readonly user_id?: string | null;
                        readonly comment?: string | null;
                        /** @description The `shown_hash` that was decided on. */
                        readonly shown_hash?: string | null;
                    }[];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly results: readonly {
                            readonly execution_id: string;
                            readonly accepted: boolean;
                            readonly node_id: string | null;
                            readonly step: string | null;
                            readonly error: string | null;
                            /** @description Status that the error would have. */
                            readonly status: number | null;
                        }[];
                    };
                };
            };
        };
    };
    readonly "list-agents": {
        readonly parameters: {
            readonly query?: {
                readonly status?: "registered" | "active" | "paused" | "deactivated";
                /** @description Name or id of a skill, exactly. */
                readonly skill?: string;
                readonly protocol?: "mcp" | "a2a" | "anp";
                /** @description Default: everything. Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agents: readonly ({
                            readonly id: string;
                            readonly uri: string | null;
                            readonly name: string;
                            readonly description: string;
                            readonly version: string;
                            readonly capabilities: {
                                readonly skills: readonly ({
                                    readonly name: string;
                                    readonly description: string;
                                    readonly input_schema: {
                                        readonly [key: string]: unknown;
                                    } | string;
                                    readonly output_schema: {
                                        readonly [key: string]: unknown;
                                    } | string;
                                } & {
                                    readonly [key: string]: unknown;
                                })[];
                                readonly protocols: readonly string[];
                                readonly tools_provided: readonly string[];
                                readonly tools_consumed: readonly string[];
                            } & {
                                readonly [key: string]: unknown;
                            };
                            /** @enum {string} */
                            readonly autonomy: "deterministic" | "guided" | "bounded_autonomous" | "fully_autonomous";
                            readonly auth: {
                                /** @enum {string} */
                                readonly type: "none" | "bearer_token" | "api_key" | "oauth2" | "oidc" | "mtls";
                            } & {
                                readonly [key: string]: unknown;
                            };
                            /** @enum {string} */
                            readonly status: "registered" | "active" | "paused" | "deactivated";
                            /** Format: date-time */
                            readonly registered_at: string;
                            /**
                             * Format: date-time
                             * @description Last change of card or status.
                             */
                            readonly updated_at: string;
                            readonly last_heartbeat: string | null;
                            readonly discovered_from: string | null;
                        } & {
                            readonly [key: string]: unknown;
                        })[];
                        /** @description How many there are in all. */
                        readonly total: number;
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "register-agent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Default: a new UUID. */
                    readonly id?: string | null;
                    /** @description Address of the agent, without credentials. */
                    readonly uri?: string | null;
                    readonly name: string;
                    readonly description?: string | null;
                    /** @default 1.0.0 */
                    readonly version?: string | null;
                    readonly capabilities?: ({
                        readonly skills?: readonly ({
                            readonly name: string;
                            readonly description?: string | null;
                            readonly input_schema?: Record<string, never> | string | null;
                            readonly output_schema?: Record<string, never> | string | null;
                        } | string)[] | null;
                        readonly protocols?: readonly string[] | null;
                        readonly tools_provided?: readonly string[] | null;
                        readonly tools_consumed?: readonly string[] | null;
                    } & {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    }) | null;
                    /**
                     * @default guided
                     * @enum {unknown}
                     */
                    readonly autonomy?: "deterministic" | "guided" | "bounded_autonomous" | "fully_autonomous" | null;
                    readonly auth?: (({
                        /**
                         * @default none
                         * @enum {unknown}
                         */
                        readonly type?: "none" | "bearer_token" | "api_key" | "oauth2" | "oidc" | "mtls" | null;
                    } & {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    }) | null) | ("none" | "bearer_token" | "api_key" | "oauth2" | "oidc" | "mtls");
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                    };
                };
            };
        };
    };
    readonly "read-agent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Agent id, percent-encoded. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly uri: string | null;
                        readonly name: string;
                        readonly description: string;
                        readonly version: string;
                        readonly capabilities: {
                            readonly skills: readonly ({
                                readonly name: string;
                                readonly description: string;
                                readonly input_schema: {
                                    readonly [key: string]: unknown;
                                } | string;
                                readonly output_schema: {
                                    readonly [key: string]: unknown;
                                } | string;
                            } & {
                                readonly [key: string]: unknown;
                            })[];
                            readonly protocols: readonly string[];
                            readonly tools_provided: readonly string[];
                            readonly tools_consumed: readonly string[];
                        } & {
                            readonly [key: string]: unknown;
                        };
                        /** @enum {string} */
                        readonly autonomy: "deterministic" | "guided" | "bounded_autonomous" | "fully_autonomous";
                        readonly auth: {
                            /** @enum {string} */
                            readonly type: "none" | "bearer_token" | "api_key" | "oauth2" | "oidc" | "mtls";
                        } & {
                            readonly [key: string]: unknown;
                        };
                        /** @enum {string} */
                        readonly status: "registered" | "active" | "paused" | "deactivated";
                        /** Format: date-time */
                        readonly registered_at: string;
                        /**
                         * Format: date-time
                         * @description Last change of card or status.
                         */
                        readonly updated_at: string;
                        readonly last_heartbeat: string | null;
                        readonly discovered_from: string | null;
                        /** @description The card alone. */
                        readonly card: {
                            readonly id: string;
                            readonly uri: string | null;
                            readonly name: string;
                            readonly description: string;
                            readonly version: string;
                            readonly capabilities: {
                                readonly skills: readonly ({
                                    readonly name: string;
                                    readonly description: string;
                                    readonly input_schema: {
                                        readonly [key: string]: unknown;
                                    } | string;
                                    readonly output_schema: {
                                        readonly [key: string]: unknown;
                                    } | string;
                                } & {
                                    readonly [key: string]: unknown;
                                })[];
                                readonly protocols: readonly string[];
                                readonly tools_provided: readonly string[];
                                readonly tools_consumed: readonly string[];
                            } & {
                                readonly [key: string]: unknown;
                            };
                            /** @enum {string} */
                            readonly autonomy: "deterministic" | "guided" | "bounded_autonomous" | "fully_autonomous";
                            readonly auth: {
                                /** @enum {string} */
                                readonly type: "none" | "bearer_token" | "api_key" | "oauth2" | "oidc" | "mtls";
                            } & {
                                readonly [key: string]: unknown;
                            };
                        } & {
                            readonly [key: string]: unknown;
                        };
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
    readonly "discover-agent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description An http or https URL, without credentials. */
                    readonly url: string;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly uri: string | null;
                        readonly name: string;
                        readonly description: string;
                        readonly version: string;
                        readonly capabilities: {
                            readonly skills: readonly ({
                                readonly name: string;
                                readonly description: string;
                                readonly input_schema: {
                                    readonly [key: string]: unknown;
                                } | string;
                                readonly output_schema: {
                                    readonly [key: string]: unknown;
                                } | string;
                            } & {
                                readonly [key: string]: unknown;
                            })[];
                            readonly protocols: readonly string[];
                            readonly tools_provided: readonly string[];
                            readonly tools_consumed: readonly string[];
                        } & {
                            readonly [key: string]: unknown;
                        };
                        /** @enum {string} */
                        readonly autonomy: "deterministic" | "guided" | "bounded_autonomous" | "fully_autonomous";
                        readonly auth: {
                            /** @enum {string} */
                            readonly type: "none" | "bearer_token" | "api_key" | "oauth2" | "oidc" | "mtls";
                        } & {
                            readonly [key: string]: unknown;
                        };
                        /** @enum {string} */
                        readonly status: "registered" | "active" | "paused" | "deactivated";
                        /** Format: date-time */
                        readonly registered_at: string;
                        /**
                         * Format: date-time
                         * @description Last change of card or status.
                         */
                        readonly updated_at: string;
                        readonly last_heartbeat: string | null;
                        readonly discovered_from: string | null;
                        /** @description The card alone. */
                        readonly card: {
                            readonly id: string;
                            readonly uri: string | null;
                            readonly name: string;
                            readonly description: string;
                            readonly version: string;
                            readonly capabilities: {
                                readonly skills: readonly ({
                                    readonly name: string;
                                    readonly description: string;
                                    readonly input_schema: {
                                        readonly [key: string]: unknown;
                                    } | string;
                                    readonly output_schema: {
                                        readonly [key: string]: unknown;
                                    } | string;
                                } & {
                                    readonly [key: string]: unknown;
                                })[];
                                readonly protocols: readonly string[];
                                readonly tools_provided: readonly string[];
                                readonly tools_consumed: readonly string[];
                            } & {
                                readonly [key: string]: unknown;
                            };
                            /** @enum {string} */
                            readonly autonomy: "deterministic" | "guided" | "bounded_autonomous" | "fully_autonomous";
                            readonly auth: {
                                /** @enum {string} */
                                readonly type: "none" | "bearer_token" | "api_key" | "oauth2" | "oidc" | "mtls";
                            } & {
                                readonly [key: string]: unknown;
                            };
                        } & {
                            readonly [key: string]: unknown;
                        };
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
    readonly "preview-agent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description An http or https URL, without credentials. */
                    readonly url: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /**
                         * @description `refuses`: an agent with this id was registered in another way or discovered elsewhere.
                         * @enum {string}
                         */
                        readonly outcome: "registers" | "refreshes" | "refuses";
                        /** @description Null: a new one. */
                        readonly agent_id: string | null;
                        readonly discovered_from: string;
                        readonly card: {
                            readonly uri: string | null;
                            readonly name: string;
                            readonly description: string;
                            readonly version: string;
                            readonly capabilities: {
                                readonly skills: readonly ({
                                    readonly name: string;
                                    readonly description: string;
                                    readonly input_schema: {
                                        readonly [key: string]: unknown;
                                    } | string;
                                    readonly output_schema: {
                                        readonly [key: string]: unknown;
                                    } | string;
                                } & {
                                    readonly [key: string]: unknown;
                                })[];
                                readonly protocols: readonly string[];
                                readonly tools_provided: readonly string[];
                                readonly tools_consumed: readonly string[];
                            } & {
                                readonly [key: string]: unknown;
                            };
                            /** @enum {string} */
                            readonly autonomy: "deterministic" | "guided" | "bounded_autonomous" | "fully_autonomous";
                            readonly auth: {
                                /** @enum {string} */
                                readonly type: "none" | "bearer_token" | "api_key" | "oauth2" | "oidc" | "mtls";
                            } & {
                                readonly [key: string]: unknown;
                            };
                        } & {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
    };
    readonly "activate-agent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Agent id, percent-encoded. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        /** @enum {string} */
                        readonly status: "registered" | "active" | "paused" | "deactivated";
                    };
                };
            };
        };
    };
    readonly "deactivate-agent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Agent id, percent-encoded. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        /** @enum {string} */
                        readonly status: "registered" | "active" | "paused" | "deactivated";
                    };
                };
            };
        };
    };
    readonly "heartbeat-agent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Agent id, percent-encoded. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly agent_id: string;
                        /** @enum {string} */
                        readonly status: "registered" | "active" | "paused" | "deactivated";
                        readonly ok: boolean;
                    };
                };
            };
        };
    };
    readonly "get-workflow-card": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Workflow id. */
                readonly workflow_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly name: string;
                        readonly description: string;
                        readonly version: string;
                        readonly supportedInterfaces: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        readonly capabilities: {
                            readonly [key: string]: unknown;
                        };
                        readonly skills: readonly {
                            readonly [key: string]: unknown;
                        }[];
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
    readonly "list-audit": {
        readonly parameters: {
            readonly query?: {
                readonly execution_id?: string;
                /** @description `token:<name>`, `worker:<id>`, `agent:<id>`, `system:scheduler`, or `system:cli`. */
                readonly actor_id?: string;
                /** @description snake_case, such as `node_completed`. */
                readonly event_type?: string;
                /** @description ISO 8601, inclusive. */
                readonly since?: string;
                /** @description ISO 8601, exclusive. */
                readonly until?: string;
                /** @description Values above 200 are taken for 200. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            readonly execution_id: string | null;
                            readonly event_type: string;
                            readonly actor_id: string;
                            /** Format: date-time */
                            readonly created_at: string;
                            readonly node_id: string | null;
                            /** @description Sequence of the event in its execution; null for other requests. */
                            readonly sequence: number | null;
                            /** @description Null for an event: `GET /executions/:id/events` has it. */
                            readonly payload: {
                                readonly [key: string]: unknown;
                            } | null;
                        }[];
                        /** @description Matching items, regardless of `limit` and `offset`; see `total_is_exact`. */
                        readonly total: number;
                        /** @description False: the tenant has so many items that `total` is only a lower bound. */
                        readonly total_is_exact: boolean;
                        readonly limit: number;
                        readonly offset: number;
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "verify-audit": {
        readonly parameters: {
            readonly query?: {
                /** @description A head that was kept elsewhere: the chain must contain it. */
                readonly head?: string;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Whether this part matches its seals. */
                        readonly ok: boolean;
                        readonly windows: number;
                        readonly items: number;
                        readonly retired_items: number;
                        readonly retired_executions: number;
                        readonly imported_events: number;
                        readonly imported_executions: number;
                        readonly definitions: number;
                        readonly executions: number;
                        /** @description The last good window and its hash; null: this part began behind the chain. */
                        readonly head: string | null;
                        readonly sealed_until: string | null;
                        /** @description The findings of the first window or page with any, at most 20. */
                        readonly problems: readonly {
                            /** @enum {string} */
                            readonly what: "row_changed" | "row_removed" | "row_added" | "seal_changed" | "seal_out_of_chain" | "window_changed" | "window_out_of_chain" | "window_missing" | "retirement_unproved" | "import_unproved" | "definition_changed" | "definition_removed" | "execution_changed";
                            readonly tenant_id: string | null;
                            readonly window: number | null;
                            readonly seal: number | null;
                            /** @description The item, as far as it can be named. */
                            readonly row: {
                                readonly id: string;
                                readonly execution_id: string | null;
                                readonly sequence: number | null;
                                /** @description Null: it no longer exists. */
                                readonly created_at: string | null;
                            } | null;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "list-tenants": {
        readonly parameters: {
            readonly query?: {
                /** @description Default: everything. Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly tenants: readonly {
                            readonly id: string;
                            readonly name: string;
                            /** @enum {string} */
                            readonly status: "active" | "suspended" | "archived";
                            /** @description Globs of names of tools and models. */
                            readonly policy: {
                                readonly blocked_tools?: readonly string[];
                                readonly require_approval_for?: readonly string[];
                                readonly model_allowlist?: readonly string[];
                            };
                            /** @description An absent limit does not apply. Each API process counts its own requests. */
                            readonly limits: {
                                readonly max_concurrent_executions?: number;
                                /**
                                 * @description Whether starts beyond max_concurrent_executions wait. Default refuse.
                                 * @enum {string}
                                 */
                                readonly when_full?: "queue" | "refuse";
                                readonly max_descendants?: number;
                                readonly max_workflows?: number;
                                readonly max_queued_work_items?: number;
                                readonly requests_per_second?: number;
                                readonly max_cpu_seconds_per_minute?: number;
                                /** @enum {string} */
                                readonly memory_tier?: "free" | "starter" | "team" | "business" | "enterprise";
                            };
                            /** Format: date-time */
                            readonly created_at: string;
                            /** Format: date-time */
                            readonly updated_at: string;
                        }[];
                        /** @description How many there are in all. */
                        readonly total: number;
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "create-tenant": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly id: string;
                    readonly name: string;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly tenant_id: string;
                    };
                };
            };
        };
    };
    readonly "read-tenant": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Tenant id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly name: string;
                        /** @enum {string} */
                        readonly status: "active" | "suspended" | "archived";
                        /** @description Globs of names of tools and models. */
                        readonly policy: {
                            readonly blocked_tools?: readonly string[];
                            readonly require_approval_for?: readonly string[];
                            readonly model_allowlist?: readonly string[];
                        };
                        /** @description An absent limit does not apply. Each API process counts its own requests. */
                        readonly limits: {
                            readonly max_concurrent_executions?: number;
                            /**
                             * @description Whether starts beyond max_concurrent_executions wait. Default refuse.
                             * @enum {string}
                             */
                            readonly when_full?: "queue" | "refuse";
                            readonly max_descendants?: number;
                            readonly max_workflows?: number;
                            readonly max_queued_work_items?: number;
                            readonly requests_per_second?: number;
                            readonly max_cpu_seconds_per_minute?: number;
                            /** @enum {string} */
                            readonly memory_tier?: "free" | "starter" | "team" | "business" | "enterprise";
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "update-tenant": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Tenant id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name?: string | null;
                    readonly status?: ("active" | "suspended" | "archived") | null;
                    readonly policy?: {
                        readonly blocked_tools?: readonly string[];
                        readonly require_approval_for?: readonly string[];
                        readonly model_allowlist?: readonly string[];
                    } | null;
                    readonly limits?: {
                        readonly max_concurrent_executions?: number;
                        /**
                         * @description Whether starts beyond max_concurrent_executions wait. Default refuse.
                         * @enum {string}
                         */
                        readonly when_full?: "queue" | "refuse";
                        readonly max_descendants?: number;
                        readonly max_workflows?: number;
                        readonly max_queued_work_items?: number;
                        readonly requests_per_second?: number;
                        readonly max_cpu_seconds_per_minute?: number;
                        /** @enum {string} */
                        readonly memory_tier?: "free" | "starter" | "team" | "business" | "enterprise";
                    } | null;
                    /** @description As it was read; ignored. */
                    readonly id?: unknown;
                    /** @description As it was read; ignored. */
                    readonly created_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly updated_at?: unknown;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly name: string;
                        /** @enum {string} */
                        readonly status: "active" | "suspended" | "archived";
                        /** @description Globs of names of tools and models. */
                        readonly policy: {
                            readonly blocked_tools?: readonly string[];
                            readonly require_approval_for?: readonly string[];
                            readonly model_allowlist?: readonly string[];
                        };
                        /** @description An absent limit does not apply. Each API process counts its own requests. */
                        readonly limits: {
                            readonly max_concurrent_executions?: number;
                            /**
                             * @description Whether starts beyond max_concurrent_executions wait. Default refuse.
                             * @enum {string}
                             */
                            readonly when_full?: "queue" | "refuse";
                            readonly max_descendants?: number;
                            readonly max_workflows?: number;
                            readonly max_queued_work_items?: number;
                            readonly requests_per_second?: number;
                            readonly max_cpu_seconds_per_minute?: number;
                            /** @enum {string} */
                            readonly memory_tier?: "free" | "starter" | "team" | "business" | "enterprise";
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "list-workers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly workers: readonly {
                            readonly worker_id: string;
                            /** @enum {string} */
                            readonly kind: "runtime" | "tool";
                            readonly role: string | null;
                            readonly queue_types: readonly string[];
                            /** @description For tool workers: the globs it claims; null: every tool. */
                            readonly tools?: readonly string[] | null;
                            /** @description For tool workers: the named queues it claims. */
                            readonly queues?: readonly string[];
                            /** @description For tool workers: the builds that it claims for. */
                            readonly build_ids?: readonly string[];
                            readonly version: string;
                            readonly host: string;
                            /** Format: date-time */
                            readonly started_at: string;
                            /** Format: date-time */
                            readonly last_heartbeat: string;
                            readonly active_items: number;
                        }[];
                        /** @description False: more is at work than was counted; `active_items` is a lower bound. */
                        readonly active_items_are_exact: boolean;
                    };
                };
            };
        };
    };
    readonly "list-queues": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly queues: readonly {
                            readonly queue_type: string;
                            /** @description Null: the default queue. */
                            readonly queue: string | null;
                            readonly tool: string;
                            readonly waiting: number;
                            readonly oldest_at: string | null;
                            readonly leased: number;
                            readonly failed_last_hour: number;
                            /** @description Workers of the last 60 seconds that claim such items; empty: nobody does. */
                            readonly served_by: readonly string[];
                        }[];
                        /** @description False: there is more than was counted. */
                        readonly is_exact: boolean;
                    };
                };
            };
        };
    };
    readonly "list-leases": {
        readonly parameters: {
            readonly query?: {
                readonly worker_id?: string;
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly leases: readonly {
                            readonly work_item_id: string;
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly workflow_id: string;
                            readonly node_id: string;
                            readonly attempt: number;
                            readonly queue_type: string;
                            /** @description Null: the default queue. */
                            readonly queue: string | null;
                            readonly tool: string | null;
                            readonly worker_id: string;
                            /** Format: date-time */
                            readonly claimed_at: string;
                            /** Format: date-time */
                            readonly expires_at: string;
                            /** @description End of the attempt, which heartbeats do not extend. */
                            readonly deadline_at: string | null;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "list-failures": {
        readonly parameters: {
            readonly query?: {
                /** @description How far back the list looks, at most 720. */
                readonly within_hours?: number;
                readonly workflow_id?: string;
                /** @description Conditions on the executions, as for `GET /executions`. Those on `error` and `error_class` are about the failure itself. */
                readonly q?: string;
                /** @description Values above 100 are taken for 100. */
                readonly limit?: number;
                /** @description How many failures of each group are listed: the latest. A page ends before its groups list more than 500 together. Values above 50 are taken for 50. */
                readonly members?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** Format: date-time */
                        readonly since: string;
                        readonly groups: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly kind: "work_item" | "execution";
                            readonly cause: string;
                            readonly workflow_id: string;
                            /** @description Null: no node failed the executions, or it is not known which. */
                            readonly node_id: string | null;
                            readonly tool: string | null;
                            readonly queue_type: string | null;
                            readonly count: number;
                            /** @description How many belong to executions that have not ended. */
                            readonly live: number;
                            /** Format: date-time */
                            readonly first_at: string;
                            /** Format: date-time */
                            readonly last_at: string;
                            /** @description The latest: at most `members`. */
                            readonly members: readonly {
                                /** @description `exec_` and 32 lowercase hex digits. */
                                readonly execution_id: string;
                                readonly work_item_id: string | null;
                                readonly error: string;
                                /** Format: date-time */
                                readonly failed_at: string;
                                readonly live: boolean;
                            }[];
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                        /** @description False: there may be more failures than were read, so counts are lower bounds. */
                        readonly is_exact: boolean;
                    };
                };
            };
        };
    };
    readonly "list-failures-of-group": {
        readonly parameters: {
            readonly query?: {
                /** @description How far back the list looks, at most 720. */
                readonly within_hours?: number;
                readonly workflow_id?: string;
                /** @description Conditions on the executions, as for `GET /executions`. Those on `error` and `error_class` are about the failure itself. */
                readonly q?: string;
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly failures: readonly {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly work_item_id: string | null;
                            readonly error: string;
                            /** Format: date-time */
                            readonly failed_at: string;
                            readonly live: boolean;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                        /** @description False: there may be more failures than were read, so counts are lower bounds. */
                        readonly is_exact: boolean;
                    };
                };
            };
        };
    };
    readonly "read-system": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description The version of the process that answers. */
                        readonly version: string;
                        /** @description Those seen in the last 60 seconds. */
                        readonly processes: readonly {
                            readonly process_id: string;
                            readonly role: string;
                            readonly version: string;
                            readonly host: string;
                            /** Format: date-time */
                            readonly started_at: string;
                            /** Format: date-time */
                            readonly last_heartbeat: string;
                            readonly active_items: number;
                        }[];
                        /** @description False: more is at work than was counted; `active_items` is a lower bound. */
                        readonly active_items_are_exact: boolean;
                        readonly store: {
                            /** @enum {string} */
                            readonly kind: "postgres" | "sqlite";
                            readonly version: string;
                            readonly bytes: number;
                            /** @description The last migration that was applied. */
                            readonly migration: number;
                            /** @description The last that this program knows. */
                            readonly known_migration: number;
                            readonly pending_migrations: readonly {
                                readonly number: number;
                                readonly title: string;
                            }[];
                            /** @description PostgreSQL: sessions that hold locks of shards and duties. */
                            readonly sessions: readonly {
                                readonly pid: number;
                                readonly application: string;
                                readonly shards: number;
                                readonly duties: number;
                                readonly migrating: boolean;
                            }[];
                        };
                        /** @description Null on SQLite, where one process has all. */
                        readonly shards: {
                            readonly total: number;
                            readonly held: number;
                        } | null;
                    };
                };
            };
        };
    };
    readonly "examine-system": {
        readonly parameters: {
            readonly query?: {
                /** @description How many stuck executions are listed. Values above 50 are taken for 50. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description False: a check fails. Warnings alone leave it true. */
                        readonly ok: boolean;
                        readonly checks: readonly {
                            readonly name: string;
                            /** @enum {string} */
                            readonly verdict: "ok" | "warn" | "fail" | "skipped";
                            /** @description The finding. */
                            readonly seen: string;
                            /** @description The remedy; null: none needed. */
                            readonly advice: string | null;
                        }[];
                        readonly stuck_executions: readonly {
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly tenant_id: string;
                            readonly status: string;
                            readonly code: string;
                            readonly node_id: string | null;
                            readonly message: string;
                            readonly since: string | null;
                            readonly unblocked_by: string;
                        }[];
                        /** @description At least so many do not move. */
                        readonly stuck_executions_total: number;
                    };
                };
            };
        };
    };
    readonly "list-settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly settings: readonly {
                            readonly key: string;
                            /** @description As text; empty: it is not set. */
                            readonly value: string;
                            /** @description `flag --port`, `env SVC_PORT`, the name of a file, or `default`. */
                            readonly origin: string;
                            readonly secret: boolean;
                            readonly meaning: string;
                            /** @description The variables that set it. */
                            readonly variables: readonly string[];
                        }[];
                    };
                };
            };
        };
    };
    readonly "claim-work-item": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly worker_id: string;
                    readonly queue_types: readonly string[];
                    /** @description Only items of these tools: globs over `module.function` and `class.method`, like `payment.*`. Absent: of every tool. */
                    readonly tools?: readonly string[] | null;
                    /** @description Only items of these named queues; `default` is the one of nodes that name none. Absent: only that one. */
                    readonly queues?: readonly string[] | null;
                    /** @description The build of the worker: 1 to 64 letters, digits, ".", "+", "_" and "-". The claim also gets the turns of functions that are pinned to it, and pins those that it begins. */
                    readonly build_id?: string | null;
                    /** @description Long poll: how long to wait for an item; at most 20000. */
                    readonly wait_ms?: number | null;
                    /** @description A UUID that names this claim, so that `repeated` can ask again when the answer is lost. */
                    readonly claim_id?: string | null;
                    /** @description True: the claim was sent before and its answer was lost. The answer then has the items that `claim_id` leased and still holds, under the same fences, before anything else is claimed. */
                    readonly repeated?: boolean | null;
                    /** @description True: the worker stops. The claim leases nothing; with `repeated`, the answer has the items that `claim_id` leased and still holds, to give back. The worker no longer counts among those that claim. */
                    readonly last?: boolean | null;
                    /** @description Claims up to this many, at most 100; the answer then has `work_items`. */
                    readonly max_items?: number | null;
                    /** @description Calls for items that the worker has, as in `POST /work-items/report`; they are served first. With reports and no `wait_ms`, the claim answers at once, and looks at its queues only if something may have come since they were empty. */
                    readonly reports?: readonly ({
                        /** @enum {string} */
                        readonly kind: "heartbeat" | "steps" | "suspend" | "continue" | "complete" | "fail" | "release";
                        readonly work_item_id: string;
                        /** @description As the claim gave it. */
                        readonly lease_fence: number;
                    } & {
                        readonly [key: string]: unknown;
                    })[] | null;
                    /** @description For `GET /workers`; default: the address. */
                    readonly host?: string | null;
                    /** @description For `GET /workers`. */
                    readonly version?: string | null;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly claimed: boolean;
                        readonly work_item?: {
                            readonly id: string;
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly node_id: string;
                            /** @enum {string} */
                            readonly queue_type: "python_tool" | "java_tool" | "function";
                            /** @description The queue that its node names; absent: `default`. */
                            readonly queue?: string;
                            /** @description `{module, function, input}`; Java items carry `class` and `method` too. */
                            readonly payload: {
                                readonly [key: string]: unknown;
                            };
                            /** @description From 0. */
                            readonly attempt: number;
                            readonly lease_fence: number;
                            readonly idempotency_key: string;
                            /** Format: date-time */
                            readonly lease_expires_at: string;
                            readonly heartbeat_interval_ms: number;
                            readonly max_attempts: number;
                            /** @description For a durable function: its turn, from 0. */
                            readonly turn?: number;
                            /**
                             * @description For a durable function; `rollback`: only its compensations run.
                             * @enum {string}
                             */
                            readonly mode?: "run" | "rollback";
                            readonly cancel_requested?: boolean;
                            readonly journal?: {
                                readonly entries: readonly {
                                    readonly identity: string;
                                    /** @enum {string} */
                                    readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback" | "timer" | "event" | "approval" | "child";
                                    readonly output?: unknown;
                                    readonly error?: {
                                        readonly message: string;
                                        readonly class?: string;
                                    };
                                    readonly attempts?: number;
                                    /** Format: date-time */
                                    readonly started_at?: string;
                                    readonly duration_ms?: number;
                                    readonly usage?: {
                                        readonly input_tokens: number;
                                        readonly output_tokens: number;
                                        readonly cost_usd: number | null;
                                        readonly model?: string;
                                    };
                                    readonly position: number;
                                    /** Format: date-time */
                                    readonly recorded_at: string;
                                }[];
                                /** @description Entries in all. */
                                readonly length: number;
                                /** @description Where to read on; null: at the end. */
                                readonly next: number | null;
                            };
                            /** @description Where the worker’s own spans belong, by W3C Trace Context; where traces are exported. */
                            readonly traceparent?: string;
                        };
                        readonly work_items?: readonly {
                            readonly id: string;
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly node_id: string;
                            /** @enum {string} */
                            readonly queue_type: "python_tool" | "java_tool" | "function";
                            /** @description The queue that its node names; absent: `default`. */
                            readonly queue?: string;
                            /** @description `{module, function, input}`; Java items carry `class` and `method` too. */
                            readonly payload: {
                                readonly [key: string]: unknown;
                            };
                            /** @description From 0. */
                            readonly attempt: number;
                            readonly lease_fence: number;
                            readonly idempotency_key: string;
                            /** Format: date-time */
                            readonly lease_expires_at: string;
                            readonly heartbeat_interval_ms: number;
                            readonly max_attempts: number;
                            /** @description For a durable function: its turn, from 0. */
                            readonly turn?: number;
                            /**
                             * @description For a durable function; `rollback`: only its compensations run.
                             * @enum {string}
                             */
                            readonly mode?: "run" | "rollback";
                            readonly cancel_requested?: boolean;
                            readonly journal?: {
                                readonly entries: readonly {
                                    readonly identity: string;
                                    /** @enum {string} */
                                    readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback" | "timer" | "event" | "approval" | "child";
                                    readonly output?: unknown;
                                    readonly error?: {
                                        readonly message: string;
                                        readonly class?: string;
                                    };
                                    readonly attempts?: number;
                                    /** Format: date-time */
                                    readonly started_at?: string;
                                    readonly duration_ms?: number;
                                    readonly usage?: {
                                        readonly input_tokens: number;
                                        readonly output_tokens: number;
                                        readonly cost_usd: number | null;
                                        readonly model?: string;
                                    };
                                    readonly position: number;
                                    /** Format: date-time */
                                    readonly recorded_at: string;
                                }[];
                                /** @description Entries in all. */
                                readonly length: number;
                                /** @description Where to read on; null: at the end. */
                                readonly next: number | null;
                            };
                            /** @description Where the worker’s own spans belong, by W3C Trace Context; where traces are exported. */
                            readonly traceparent?: string;
                        }[];
                        /** @description One for each of `reports`, in their order. */
                        readonly results?: readonly {
                            readonly work_item_id: string;
                            /** @description The status that the call alone would have. */
                            readonly status: number;
                            /** @description The body that the call alone would have. */
                            readonly body: {
                                readonly [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
        };
    };
    readonly "report-work-items": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly worker_id: string;
                    readonly reports: readonly ({
                        /** @enum {string} */
                        readonly kind: "heartbeat" | "steps" | "suspend" | "continue" | "complete" | "fail" | "release";
                        readonly work_item_id: string;
                        /** @description As the claim gave it. */
                        readonly lease_fence: number;
                    } & {
                        readonly [key: string]: unknown;
                    })[];
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly results: readonly {
                            readonly work_item_id: string;
                            /** @description The status that the call alone would have. */
                            readonly status: number;
                            /** @description The body that the call alone would have. */
                            readonly body: {
                                readonly [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
        };
    };
    readonly "renew-lease": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly worker_id: string;
                    /** @description As the claim gave it. */
                    readonly lease_fence: number;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly renewed: true;
                        readonly work_item_id: string;
                        /** Format: date-time */
                        readonly lease_expires_at: string;
                        /** @description For a durable function: its execution is being cancelled. */
                        readonly cancel_requested?: boolean;
                    };
                };
            };
        };
    };
    readonly "record-steps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly worker_id?: string | null;
                    /** @description As the claim gave it. */
                    readonly lease_fence: number;
                    /** @description How many entries the worker knows. 409 when the journal has another length. */
                    readonly expected_length: number;
                    readonly entries: readonly ({
                        readonly identity: string;
                        /** @enum {string} */
                        readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback";
                        readonly output?: components["schemas"]["StateValue"] | null;
                        readonly error?: {
                            readonly message: string;
                            readonly class?: string | null;
                        } | null;
                        readonly attempts?: number | null;
                        readonly started_at?: string | null;
                        readonly duration_ms?: number | null;
                        readonly usage?: ({
                            readonly model?: string | null;
                            readonly input_tokens?: number | null;
                            readonly output_tokens?: number | null;
                            /** @description US dollars. If absent, svc calculates it when it knows the price of `model`. */
                            readonly cost_usd?: number | null;
                        } & {
                            readonly [key: string]: components["schemas"]["AnyJson"];
                        }) | null;
                    } & {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    })[];
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly recorded: true;
                        readonly work_item_id: string;
                        /** @description Entries in the journal after these. */
                        readonly length: number;
                        /** @description A budget is used up: start no further step. `fail`: fail the item with class `budget_exceeded` · `pause`: suspend without waits; the next turn follows once a person grants the budget again. */
                        readonly budget_exceeded?: {
                            /** @enum {string} */
                            readonly action: "fail" | "pause";
                            readonly message: string;
                            /** @description The execution that owns the budget. */
                            readonly account: string;
                            readonly tokens: number;
                            readonly token_budget: number | null;
                            readonly cost_usd: number;
                            readonly cost_budget_usd: number | null;
                        } & {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
    };
    readonly "suspend-work-item": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly worker_id?: string | null;
                    /** @description As the claim gave it. */
                    readonly lease_fence: number;
                    /** @description How many entries the worker knows. 409 when the journal has another length. */
                    readonly expected_length: number;
                    readonly entries?: readonly ({
                        readonly identity: string;
                        /** @enum {string} */
                        readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback";
                        readonly output?: components["schemas"]["StateValue"] | null;
                        readonly error?: {
                            readonly message: string;
                            readonly class?: string | null;
                        } | null;
                        readonly attempts?: number | null;
                        readonly started_at?: string | null;
                        readonly duration_ms?: number | null;
                        readonly usage?: ({
                            readonly model?: string | null;
                            readonly input_tokens?: number | null;
                            readonly output_tokens?: number | null;
                            /** @description US dollars. If absent, svc calculates it when it knows the price of `model`. */
                            readonly cost_usd?: number | null;
                        } & {
                            readonly [key: string]: components["schemas"]["AnyJson"];
                        }) | null;
                    } & {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    })[] | null;
                    readonly waits: readonly ({
                        readonly identity: string;
                        /** @constant */
                        readonly kind: "timer";
                        readonly delay_ms?: number | null;
                        readonly until?: string | null;
                    } | {
                        readonly identity: string;
                        /** @constant */
                        readonly kind: "event";
                        readonly correlation_key: string;
                        readonly timeout_ms?: number | null;
                    } | {
                        readonly identity: string;
                        /** @constant */
                        readonly kind: "approval";
                        readonly description?: string | null;
                        readonly context?: components["schemas"]["StateValue"] | null;
                        readonly timeout_ms?: number | null;
                    } | {
                        readonly identity: string;
                        /** @constant */
                        readonly kind: "child";
                        readonly workflow_id: string;
                        readonly version?: string | null;
                        readonly input: components["schemas"]["StateObject"];
                    })[];
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly suspended: boolean;
                        readonly resumed: boolean;
                        readonly work_item_id: string;
                        readonly length: number;
                        readonly entries?: readonly {
                            readonly identity: string;
                            /** @enum {string} */
                            readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback" | "timer" | "event" | "approval" | "child";
                            readonly output?: unknown;
                            readonly error?: {
                                readonly message: string;
                                readonly class?: string;
                            };
                            readonly attempts?: number;
                            /** Format: date-time */
                            readonly started_at?: string;
                            readonly duration_ms?: number;
                            readonly usage?: {
                                readonly input_tokens: number;
                                readonly output_tokens: number;
                                readonly cost_usd: number | null;
                                readonly model?: string;
                            };
                        }[];
                    };
                };
            };
        };
    };
    readonly "continue-work-item": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly worker_id?: string | null;
                    /** @description As the claim gave it. */
                    readonly lease_fence: number;
                    /** @description How many entries the worker knows. 409 when the journal has another length. */
                    readonly expected_length: number;
                    readonly entries?: readonly ({
                        readonly identity: string;
                        /** @enum {string} */
                        readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback";
                        readonly output?: components["schemas"]["StateValue"] | null;
                        readonly error?: {
                            readonly message: string;
                            readonly class?: string | null;
                        } | null;
                        readonly attempts?: number | null;
                        readonly started_at?: string | null;
                        readonly duration_ms?: number | null;
                        readonly usage?: ({
                            readonly model?: string | null;
                            readonly input_tokens?: number | null;
                            readonly output_tokens?: number | null;
                            /** @description US dollars. If absent, svc calculates it when it knows the price of `model`. */
                            readonly cost_usd?: number | null;
                        } & {
                            readonly [key: string]: components["schemas"]["AnyJson"];
                        }) | null;
                    } & {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    })[] | null;
                    /** @description Input of the next visit. */
                    readonly input: components["schemas"]["StateObject"];
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly continued: true;
                        readonly work_item_id: string;
                    };
                };
            };
        };
    };
    readonly "read-journal": {
        readonly parameters: {
            readonly query: {
                /** @description As the claim gave it. */
                readonly lease_fence: number;
                /** @description Position of the first entry. */
                readonly from?: number;
                /** @description Values above 200 are taken for 200. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly entries: readonly {
                            readonly identity: string;
                            /** @enum {string} */
                            readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback" | "timer" | "event" | "approval" | "child";
                            readonly output?: unknown;
                            readonly error?: {
                                readonly message: string;
                                readonly class?: string;
                            };
                            readonly attempts?: number;
                            /** Format: date-time */
                            readonly started_at?: string;
                            readonly duration_ms?: number;
                            readonly usage?: {
                                readonly input_tokens: number;
                                readonly output_tokens: number;
                                readonly cost_usd: number | null;
                                readonly model?: string;
                            };
                            readonly position: number;
                            /** Format: date-time */
                            readonly recorded_at: string;
                        }[];
                        /** @description Entries in all. */
                        readonly length: number;
                        /** @description Where to read on; null: at the end. */
                        readonly next: number | null;
                    };
                };
            };
        };
    };
    readonly "complete-work-item": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly lease_fence?: number | null;
                    readonly execution_id?: string | null;
                    readonly node_id?: string | null;
                    readonly output: components["schemas"]["StateObject"];
                    readonly state_patch: components["schemas"]["StateObject"];
                    /** @description Labels of the execution. They replace those of the same names; with the others, an execution has at most 16. */
                    readonly labels?: {
                        readonly [key: string]: string;
                    } | null;
                    readonly duration_ms?: number | null;
                    /** @description As the claim gave it. */
                    readonly idempotency_key?: string | null;
                    readonly gen_ai_model?: string | null;
                    readonly gen_ai_input_tokens?: number | null;
                    readonly gen_ai_output_tokens?: number | null;
                    /** @description US dollars. If absent, svc calculates it when it knows the price of `gen_ai_model`. */
                    readonly gen_ai_cost_usd?: number | null;
                    readonly finish_reason?: string | null;
                    readonly expected_length?: number | null;
                    /** @description For a durable function: entries recorded with the end of the turn. */
                    readonly entries?: readonly ({
                        readonly identity: string;
                        /** @enum {string} */
                        readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback";
                        readonly output?: components["schemas"]["StateValue"] | null;
                        readonly error?: {
                            readonly message: string;
                            readonly class?: string | null;
                        } | null;
                        readonly attempts?: number | null;
                        readonly started_at?: string | null;
                        readonly duration_ms?: number | null;
                        readonly usage?: ({
                            readonly model?: string | null;
                            readonly input_tokens?: number | null;
                            readonly output_tokens?: number | null;
                            /** @description US dollars. If absent, svc calculates it when it knows the price of `model`. */
                            readonly cost_usd?: number | null;
                        } & {
                            readonly [key: string]: components["schemas"]["AnyJson"];
                        }) | null;
                    } & {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    })[] | null;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly completed: true;
                        readonly work_item_id: string;
                    };
                };
            };
        };
    };
    readonly "fail-work-item": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly lease_fence?: number | null;
                    readonly execution_id?: string | null;
                    readonly node_id?: string | null;
                    readonly gen_ai_model?: string | null;
                    readonly gen_ai_input_tokens?: number | null;
                    readonly gen_ai_output_tokens?: number | null;
                    /** @description US dollars. If absent, svc calculates it when it knows the price of `gen_ai_model`. */
                    readonly gen_ai_cost_usd?: number | null;
                    readonly error: string;
                    readonly expected_length?: number | null;
                    /** @description For a durable function: entries recorded with the end of the turn. */
                    readonly entries?: readonly ({
                        readonly identity: string;
                        /** @enum {string} */
                        readonly kind: "step" | "value" | "version" | "labels" | "on_rollback" | "rollback";
                        readonly output?: components["schemas"]["StateValue"] | null;
                        readonly error?: {
                            readonly message: string;
                            readonly class?: string | null;
                        } | null;
                        readonly attempts?: number | null;
                        readonly started_at?: string | null;
                        readonly duration_ms?: number | null;
                        readonly usage?: ({
                            readonly model?: string | null;
                            readonly input_tokens?: number | null;
                            readonly output_tokens?: number | null;
                            /** @description US dollars. If absent, svc calculates it when it knows the price of `model`. */
                            readonly cost_usd?: number | null;
                        } & {
                            readonly [key: string]: components["schemas"]["AnyJson"];
                        }) | null;
                    } & {
                        readonly [key: string]: components["schemas"]["AnyJson"];
                    })[] | null;
                    /** @description True: no further attempt, even if the retry policy allows one. */
                    readonly final?: boolean | null;
                    /** @description The next attempt, if one is left, follows after this time instead of the back-off of the retry policy; at most 2592000000, 30 days. */
                    readonly retry_after_ms?: number | null;
                    /** @description For `retryable_on` and `non_retryable_on` of the retry policy. */
                    readonly error_class?: string | null;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly failed: true;
                        readonly work_item_id: string;
                        readonly retryable: boolean;
                        /** @description The attempt that just failed, from 0. */
                        readonly attempt: number;
                        readonly warning?: string;
                    };
                };
            };
        };
    };
    readonly "release-work-item": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description As the claim gave it. */
                    readonly lease_fence: number;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly released: true;
                        readonly work_item_id: string;
                    };
                };
            };
        };
    };
    readonly "list-dead-letters": {
        readonly parameters: {
            readonly query: {
                readonly status: "dead_lettered";
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
                readonly workflow_id?: string;
                readonly node_id?: string;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
                /** @description Only items dead-lettered before this ISO 8601 instant. */
                readonly before?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    /** @description The answer comes from the replica of `database.read_url`, and has all that was committed so many milliseconds ago. Absent: the primary has answered. */
                    readonly "X-Svc-Read-Staleness-Ms"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly work_items: readonly {
                            readonly id: string;
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly node_id: string;
                            readonly queue_type: string;
                            /** @constant */
                            readonly status: "dead_lettered";
                            readonly tool: string;
                            readonly attempt: number;
                            readonly error: string;
                            /** @description The node failed and the execution continued: by a failure edge, a fallback node or its map. */
                            readonly handled: boolean;
                            /** @description The completed visit that it is to undo; null: none. `POST /work-items/{id}/requeue` runs the undo again. `POST /executions/{id}/cancel` gives up undos when only dead letters are left. */
                            readonly undoes: {
                                readonly node_id: string;
                                readonly visit: number;
                                /** @description The input of the undo. */
                                readonly input: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                                /** @description The output of the visit that it is to undo. */
                                readonly output: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                                /** @description Values that are null here: a data policy hides them, or they have more than 4096 characters. */
                                readonly omitted: readonly ("input" | "output")[];
                            } | null;
                            /** Format: date-time */
                            readonly dead_lettered_at: string;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "read-dead-letter": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                        readonly node_id: string;
                        readonly queue_type: string;
                        /** @constant */
                        readonly status: "dead_lettered";
                        readonly tool: string;
                        readonly attempt: number;
                        readonly error: string;
                        /** @description The node failed and the execution continued: by a failure edge, a fallback node or its map. */
                        readonly handled: boolean;
                        /** @description The completed visit that it is to undo; null: none. `POST /work-items/{id}/requeue` runs the undo again. `POST /executions/{id}/cancel` gives up undos when only dead letters are left. */
                        readonly undoes: {
                            readonly node_id: string;
                            readonly visit: number;
                            /** @description The input of the undo. */
                            readonly input: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                            /** @description The output of the visit that it is to undo. */
                            readonly output: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                            /** @description Values that are null here: a data policy hides them. */
                            readonly omitted: readonly ("input" | "output")[];
                        } | null;
                        /** Format: date-time */
                        readonly dead_lettered_at: string;
                        readonly workflow_id: string;
                        /** @enum {string} */
                        readonly execution_status: "running" | "paused" | "completed" | "failed" | "cancelled";
                        readonly visit: number;
                        readonly max_attempts: number;
                        /** @description The input of the item, as its worker got it. */
                        readonly input: Record<string, never> | readonly unknown[] | string | number | boolean | null;
                        /** @description Values that are null here: a data policy hides them. */
                        readonly omitted: readonly "input"[];
                        /** @description The failed attempts of its visit, oldest first; the latest 50. */
                        readonly failures: readonly {
                            readonly attempt: number;
                            readonly error: string;
                            readonly worker_id: string | null;
                            /** Format: date-time */
                            readonly failed_at: string;
                        }[];
                        readonly actions: {
                            /** @description `POST /work-items/{id}/requeue`. */
                            readonly requeue: {
                                readonly allowed: boolean;
                                /** @description Why it is not possible; null: it is. */
                                readonly reason: string | null;
                            };
                            /** @description `POST /executions/{id}/cancel`. It ends the execution; of one that is ending, it gives up the undo. */
                            readonly give_up: {
                                readonly allowed: boolean;
                                /** @description Why it is not possible; null: it is. */
                                readonly reason: string | null;
                            };
                        };
                    };
                };
            };
        };
    };
    readonly "requeue-work-item": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Work item id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly requeued: true;
                        readonly work_item_id: string;
                    };
                };
            };
        };
    };
    readonly "upload-artifact": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "*/*": string;
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `sha256:` and 64 lowercase hex digits. */
                        readonly hash: string;
                        /** @description Bytes. */
                        readonly size: number;
                        /** @description As it was sent first. */
                        readonly content_type: string;
                    };
                };
            };
        };
    };
    readonly "download-artifact": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description With or without `sha256:` before it. */
                readonly hash: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
        };
    };
    readonly "read-memory-settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly provider: string | null;
                        readonly enabled: boolean;
                        /** @description A key is kept. */
                        readonly configured: boolean;
                    };
                };
            };
        };
    };
    readonly "save-memory-settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @enum {string} */
                    readonly provider: "openai";
                    /** @description Never returned; kept encrypted. */
                    readonly api_key: string;
                    /** @description Default: true. */
                    readonly enabled?: boolean | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly provider: string | null;
                        readonly enabled: boolean;
                        /** @description A key is kept. */
                        readonly configured: boolean;
                    };
                };
            };
        };
    };
    readonly "change-memory-settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly enabled: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly provider: string | null;
                        readonly enabled: boolean;
                        /** @description A key is kept. */
                        readonly configured: boolean;
                    };
                };
            };
        };
    };
    readonly "test-memory-settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @enum {string} */
                    readonly provider: "openai";
                    /** @description Never returned; kept encrypted. */
                    readonly api_key: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly ok: boolean;
                        /** @description Why not; absent when `ok` is true. */
                        readonly error?: string;
                    };
                };
            };
        };
    };
    readonly "add-fact": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly content: string;
                    readonly agent_id?: string | null;
                    readonly end_user_id?: string | null;
                    readonly metadata?: components["schemas"]["StateObject"] | null;
                    readonly ingestion_key?: string | null;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly content: string;
                        readonly agent_id: string | null;
                        readonly end_user_id: string | null;
                        /** Format: date-time */
                        readonly created_at: string;
                    };
                };
            };
        };
    };
    readonly "recall-facts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly query: string;
                    readonly agent_id?: string | null;
                    readonly end_user_id?: string | null;
                    /** @description How many: 10 by default; values beyond 1 and 100 are taken for these. */
                    readonly k?: number | null;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly facts: readonly {
                            readonly id: string;
                            readonly content: string;
                            readonly agent_id: string | null;
                            readonly end_user_id: string | null;
                            /** Format: date-time */
                            readonly created_at: string;
                            readonly metadata: {
                                readonly [key: string]: unknown;
                            };
                            /** @description Cosine, from −1 to 1; nearest first. */
                            readonly similarity: number;
                        }[];
                    };
                };
            };
        };
    };
    readonly "forget-facts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": ({
                    readonly id?: string | null;
                    readonly end_user_id?: string | null;
                    readonly reason: string;
                } & {
                    readonly [key: string]: components["schemas"]["AnyJson"];
                }) & ({
                    readonly id: unknown;
                } | {
                    readonly end_user_id: unknown;
                });
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Facts forgotten by this request. */
                        readonly count: number;
                    };
                };
            };
        };
    };
    readonly "list-facts": {
        readonly parameters: {
            readonly query?: {
                /** @description Values above 200 are taken for 200. */
                readonly limit?: number;
                /** @description ISO 8601, exclusive. */
                readonly before?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly facts: readonly {
                            readonly id: string;
                            readonly content: string;
                            readonly agent_id: string | null;
                            readonly end_user_id: string | null;
                            /** Format: date-time */
                            readonly created_at: string;
                            readonly metadata: {
                                readonly [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
        };
    };
    readonly "read-memory-stats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Facts ever added, which the quota counts. */
                        readonly count: number;
                        readonly quota: number;
                        /** @enum {string} */
                        readonly tier: "free" | "starter" | "team" | "business" | "enterprise";
                        /** @description Facts that are not forgotten. */
                        readonly live: number;
                    };
                };
            };
        };
    };
    readonly "list-webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly webhooks: readonly {
                            readonly webhook_id: string;
                            readonly url: string;
                            /** @description Null: all there are. */
                            readonly event_types: readonly ("execution.running" | "execution.paused" | "execution.completed" | "execution.failed" | "execution.cancelled" | "approval.requested" | "work_item.dead_lettered")[] | null;
                            /**
                             * @description `disabled`: the receiver answered 410, that it is gone.
                             * @enum {string}
                             */
                            readonly status: "active" | "disabled";
                            /** Format: date-time */
                            readonly created_at: string;
                        }[];
                    };
                };
            };
        };
    };
    readonly "create-webhook": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description http or https, without credentials. */
                    readonly url: string;
                    /** @description Default: all there are. */
                    readonly event_types?: readonly ("execution.running" | "execution.paused" | "execution.completed" | "execution.failed" | "execution.cancelled" | "approval.requested" | "work_item.dead_lettered")[] | null;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly webhook_id: string;
                        readonly url: string;
                        /** @description Null: all there are. */
                        readonly event_types: readonly ("execution.running" | "execution.paused" | "execution.completed" | "execution.failed" | "execution.cancelled" | "approval.requested" | "work_item.dead_lettered")[] | null;
                        /**
                         * @description `disabled`: the receiver answered 410, that it is gone.
                         * @enum {string}
                         */
                        readonly status: "active" | "disabled";
                        /** Format: date-time */
                        readonly created_at: string;
                        readonly secret: string;
                    };
                };
            };
        };
    };
    readonly "delete-webhook": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Webhook id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly webhook_id: string;
                        readonly url: string;
                        /** @description Null: all there are. */
                        readonly event_types: readonly ("execution.running" | "execution.paused" | "execution.completed" | "execution.failed" | "execution.cancelled" | "approval.requested" | "work_item.dead_lettered")[] | null;
                        /**
                         * @description `disabled`: the receiver answered 410, that it is gone.
                         * @enum {string}
                         */
                        readonly status: "active" | "disabled";
                        /** Format: date-time */
                        readonly created_at: string;
                    };
                };
            };
        };
    };
    readonly "list-deliveries": {
        readonly parameters: {
            readonly query?: {
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description Webhook id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly deliveries: readonly {
                            /** @description As the receiver gets it in `webhook-id`. */
                            readonly id: string;
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            readonly event_type: string;
                            /** @enum {string} */
                            readonly status: "pending" | "delivered" | "failed";
                            readonly attempts: number;
                            readonly next_attempt_at: string | null;
                            readonly last_status: number | null;
                            readonly last_error: string | null;
                            /** Format: date-time */
                            readonly created_at: string;
                            readonly ended_at: string | null;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "redeliver-message": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Webhook id. */
                readonly id: string;
                /** @description `id` of the message in the list. */
                readonly delivery_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @constant */
                        readonly status: "pending";
                    };
                };
            };
        };
    };
    readonly "list-schedules": {
        readonly parameters: {
            readonly query?: {
                /** @description Values above 1000 are taken for 1000. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedules: readonly {
                            readonly schedule_id: string;
                            readonly name: string;
                            readonly workflow_id: string;
                            /** @description Null: the latest registered version at each fire. */
                            readonly workflow_version: string | null;
                            readonly input: {
                                readonly [key: string]: unknown;
                            };
                            readonly cron_expression: string | null;
                            readonly every: string | null;
                            readonly timezone: string;
                            /** @enum {string} */
                            readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                            readonly catchup_window_secs: number;
                            readonly paused: boolean;
                            /** @description Counts the changes, from 1. */
                            readonly revision: number;
                            /** @description The first of `next_fires`; null while it is paused. */
                            readonly next_run_at: string | null;
                            /** @description The next 10; none while it is paused. */
                            readonly next_fires: readonly string[];
                            /** @description The fire that waits for the end of the last execution. */
                            readonly waiting_fire_at: string | null;
                            /** @description The last fire that was started. */
                            readonly last_fire_at: string | null;
                            readonly last_execution_id: string | null;
                            /** @description Why the last fire could not start; null: it started. */
                            readonly last_error: string | null;
                            readonly fires: {
                                readonly started: number;
                                /** @description Dropped because an execution was live, or refused by `concurrency`. */
                                readonly skipped: number;
                                /** @description Dropped as too late; up to 1000 for one outage. */
                                readonly missed: number;
                                /** @description Could not be started. */
                                readonly failed: number;
                            };
                            /** Format: date-time */
                            readonly created_at: string;
                            /** Format: date-time */
                            readonly updated_at: string;
                        }[];
                    };
                };
            };
        };
    };
    readonly "create-schedule": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Unique in the tenant; a schedule keeps it. */
                    readonly name: string;
                    readonly workflow_id: string;
                    /** @description Default: the latest registered version at each fire. */
                    readonly workflow_version?: string | null;
                    readonly input?: components["schemas"]["StateObject"] | null;
                    readonly cron_expression?: string | null;
                    readonly every?: string | null;
                    readonly timezone?: string | null;
                    readonly overlap_policy?: ("skip" | "queue" | "allow" | "cancel_previous") | null;
                    readonly catchup_window_secs?: number | null;
                    readonly paused?: boolean | null;
                    readonly enabled?: boolean | null;
                } & ({
                    readonly cron_expression: unknown;
                } | {
                    readonly every: unknown;
                });
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "read-schedule": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or name of the schedule. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "update-schedule": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or name of the schedule. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description A schedule keeps its name. */
                    readonly name?: string | null;
                    readonly workflow_id?: string | null;
                    /** @description Null: the latest registered version at each fire. */
                    readonly workflow_version?: string | null;
                    readonly input?: components["schemas"]["StateObject"] | null;
                    readonly cron_expression?: string | null;
                    readonly every?: string | null;
                    readonly timezone?: string | null;
                    readonly overlap_policy?: ("skip" | "queue" | "allow" | "cancel_previous") | null;
                    readonly catchup_window_secs?: number | null;
                    readonly paused?: boolean | null;
                    readonly enabled?: boolean | null;
                    /** @description As it was read; ignored. */
                    readonly schedule_id?: unknown;
                    /** @description As it was read; ignored. */
                    readonly next_run_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly next_fires?: unknown;
                    /** @description As it was read; ignored. */
                    readonly waiting_fire_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly last_fire_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly last_execution_id?: unknown;
                    /** @description As it was read; ignored. */
                    readonly last_error?: unknown;
                    /** @description As it was read; ignored. */
                    readonly fires?: unknown;
                    /** @description As it was read; ignored. */
                    readonly created_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly updated_at?: unknown;
                    /** @description Refuses the change with 409 if the schedule has another revision. */
                    readonly revision?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "delete-schedule": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or name of the schedule. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "list-crons": {
        readonly parameters: {
            readonly query?: {
                /** @description Values above 1000 are taken for 1000. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedules: readonly {
                            readonly schedule_id: string;
                            readonly name: string;
                            readonly workflow_id: string;
                            /** @description Null: the latest registered version at each fire. */
                            readonly workflow_version: string | null;
                            readonly input: {
                                readonly [key: string]: unknown;
                            };
                            readonly cron_expression: string | null;
                            readonly every: string | null;
                            readonly timezone: string;
                            /** @enum {string} */
                            readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                            readonly catchup_window_secs: number;
                            readonly paused: boolean;
                            /** @description Counts the changes, from 1. */
                            readonly revision: number;
                            /** @description The first of `next_fires`; null while it is paused. */
                            readonly next_run_at: string | null;
                            /** @description The next 10; none while it is paused. */
                            readonly next_fires: readonly string[];
                            /** @description The fire that waits for the end of the last execution. */
                            readonly waiting_fire_at: string | null;
                            /** @description The last fire that was started. */
                            readonly last_fire_at: string | null;
                            readonly last_execution_id: string | null;
                            /** @description Why the last fire could not start; null: it started. */
                            readonly last_error: string | null;
                            readonly fires: {
                                readonly started: number;
                                /** @description Dropped because an execution was live, or refused by `concurrency`. */
                                readonly skipped: number;
                                /** @description Dropped as too late; up to 1000 for one outage. */
                                readonly missed: number;
                                /** @description Could not be started. */
                                readonly failed: number;
                            };
                            /** Format: date-time */
                            readonly created_at: string;
                            /** Format: date-time */
                            readonly updated_at: string;
                        }[];
                    };
                };
            };
        };
    };
    readonly "create-cron": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Unique in the tenant; a schedule keeps it. */
                    readonly name: string;
                    readonly workflow_id: string;
                    /** @description Default: the latest registered version at each fire. */
                    readonly workflow_version?: string | null;
                    readonly input?: components["schemas"]["StateObject"] | null;
                    readonly cron_expression?: string | null;
                    readonly every?: string | null;
                    readonly timezone?: string | null;
                    readonly overlap_policy?: ("skip" | "queue" | "allow" | "cancel_previous") | null;
                    readonly catchup_window_secs?: number | null;
                    readonly paused?: boolean | null;
                    readonly enabled?: boolean | null;
                } & ({
                    readonly cron_expression: unknown;
                } | {
                    readonly every: unknown;
                });
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "read-cron": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or name of the schedule. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "update-cron": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or name of the schedule. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description A schedule keeps its name. */
                    readonly name?: string | null;
                    readonly workflow_id?: string | null;
                    /** @description Null: the latest registered version at each fire. */
                    readonly workflow_version?: string | null;
                    readonly input?: components["schemas"]["StateObject"] | null;
                    readonly cron_expression?: string | null;
                    readonly every?: string | null;
                    readonly timezone?: string | null;
                    readonly overlap_policy?: ("skip" | "queue" | "allow" | "cancel_previous") | null;
                    readonly catchup_window_secs?: number | null;
                    readonly paused?: boolean | null;
                    readonly enabled?: boolean | null;
                    /** @description As it was read; ignored. */
                    readonly schedule_id?: unknown;
                    /** @description As it was read; ignored. */
                    readonly next_run_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly next_fires?: unknown;
                    /** @description As it was read; ignored. */
                    readonly waiting_fire_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly last_fire_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly last_execution_id?: unknown;
                    /** @description As it was read; ignored. */
                    readonly last_error?: unknown;
                    /** @description As it was read; ignored. */
                    readonly fires?: unknown;
                    /** @description As it was read; ignored. */
                    readonly created_at?: unknown;
                    /** @description As it was read; ignored. */
                    readonly updated_at?: unknown;
                    /** @description Refuses the change with 409 if the schedule has another revision. */
                    readonly revision?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "delete-cron": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or name of the schedule. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly schedule_id: string;
                        readonly name: string;
                        readonly workflow_id: string;
                        /** @description Null: the latest registered version at each fire. */
                        readonly workflow_version: string | null;
                        readonly input: {
                            readonly [key: string]: unknown;
                        };
                        readonly cron_expression: string | null;
                        readonly every: string | null;
                        readonly timezone: string;
                        /** @enum {string} */
                        readonly overlap_policy: "skip" | "queue" | "allow" | "cancel_previous";
                        readonly catchup_window_secs: number;
                        readonly paused: boolean;
                        /** @description Counts the changes, from 1. */
                        readonly revision: number;
                        /** @description The first of `next_fires`; null while it is paused. */
                        readonly next_run_at: string | null;
                        /** @description The next 10; none while it is paused. */
                        readonly next_fires: readonly string[];
                        /** @description The fire that waits for the end of the last execution. */
                        readonly waiting_fire_at: string | null;
                        /** @description The last fire that was started. */
                        readonly last_fire_at: string | null;
                        readonly last_execution_id: string | null;
                        /** @description Why the last fire could not start; null: it started. */
                        readonly last_error: string | null;
                        readonly fires: {
                            readonly started: number;
                            /** @description Dropped because an execution was live, or refused by `concurrency`. */
                            readonly skipped: number;
                            /** @description Dropped as too late; up to 1000 for one outage. */
                            readonly missed: number;
                            /** @description Could not be started. */
                            readonly failed: number;
                        };
                        /** Format: date-time */
                        readonly created_at: string;
                        /** Format: date-time */
                        readonly updated_at: string;
                    };
                };
            };
        };
    };
    readonly "preview-schedule": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly cron_expression?: string | null;
                    readonly every?: string | null;
                    readonly timezone?: string | null;
                    /** @description How many; 10 by default. */
                    readonly count?: number | null;
                } & ({
                    readonly cron_expression: unknown;
                } | {
                    readonly every: unknown;
                });
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Oldest first; fewer where the timing has no more. */
                        readonly next_fires: readonly string[];
                    };
                };
            };
        };
    };
    readonly "trigger-schedule": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or name of the schedule. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description `exec_` and 32 lowercase hex digits. */
                        readonly execution_id: string;
                    };
                };
            };
        };
    };
    readonly "backfill-schedule": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or name of the schedule. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Fires from this instant on. */
                    readonly from: string;
                    /** @description Fires before this instant, which must have passed. */
                    readonly to: string;
                    /** @description How many fires; 1000 by default. */
                    readonly limit?: number | null;
                    /** @description Starts nothing; false by default. */
                    readonly dry_run?: boolean | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Oldest first. */
                        readonly fires: readonly {
                            /** Format: date-time */
                            readonly fire_at: string;
                            /** @description `exec_` and 32 lowercase hex digits. */
                            readonly execution_id: string;
                            /**
                             * @description `existed`: the fire has started before. `would_start`: of a dry run.
                             * @enum {string}
                             */
                            readonly outcome: "started" | "existed" | "would_start";
                        }[];
                        /** @description The first fire that is left, for `from` of the next request. */
                        readonly next_from: string | null;
                        /** @description Why the fire at `next_from` was refused. */
                        readonly stopped_by: string | null;
                    };
                };
            };
        };
    };
    readonly "list-retention-policies": {
        readonly parameters: {
            readonly query?: {
                /** @description Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly policies: readonly {
                            /** @description Null: all workflows of the tenant without their own policy. */
                            readonly workflow_id: string | null;
                            readonly completed_days: number | null;
                            readonly failed_days: number | null;
                            readonly cancelled_days: number | null;
                        }[];
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "set-retention-policy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Absent: all workflows of the tenant without their own policy. */
                    readonly workflow_id?: string | null;
                    /** @description Days after the end; 0: forever. Omitted: as the less specific policy says. */
                    readonly completed_days?: number | null;
                    /** @description Days after the end; 0: forever. Omitted: as the less specific policy says. */
                    readonly failed_days?: number | null;
                    /** @description Days after the end; 0: forever. Omitted: as the less specific policy says. */
                    readonly cancelled_days?: number | null;
                } | {
                    readonly completed_days: unknown;
                } | {
                    readonly failed_days: unknown;
                } | {
                    readonly cancelled_days: unknown;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Null: all workflows of the tenant without their own policy. */
                        readonly workflow_id: string | null;
                        readonly completed_days: number | null;
                        readonly failed_days: number | null;
                        readonly cancelled_days: number | null;
                    };
                };
            };
        };
    };
    readonly "remove-retention-policy": {
        readonly parameters: {
            readonly query?: {
                /** @description The workflow of the policy. Absent: the policy of the whole tenant. */
                readonly workflow_id?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly workflow_id: string | null;
                        /** @constant */
                        readonly removed: true;
                    };
                };
            };
        };
    };
    readonly "preview-retention": {
        readonly parameters: {
            readonly query?: {
                readonly workflow_id?: string;
                readonly status?: "completed" | "failed" | "cancelled";
                /** @description A policy to consider, in place of those in force. */
                readonly older_than_days?: number;
                /** @description How long to look, in milliseconds; a longer look finds more. Values above 1000 are taken for 1000. */
                readonly search_ms?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly groups: readonly {
                            readonly workflow_id: string;
                            /** @enum {string} */
                            readonly status: "completed" | "failed" | "cancelled";
                            readonly executions: number;
                            readonly events: number;
                            readonly estimated_bytes: number;
                            /** Format: date-time */
                            readonly oldest_end: string;
                        }[];
                        /** @description Those to which nothing but these executions refers. */
                        readonly released_artifacts: {
                            readonly artifacts: number;
                            readonly bytes: number;
                        };
                        readonly complete: boolean;
                        /** @description The configuration, which applies where no policy does. */
                        readonly defaults: {
                            readonly completed_days: number | null;
                            readonly failed_days: number | null;
                            readonly cancelled_days: number | null;
                        };
                    };
                };
            };
        };
    };
    readonly "list-tokens": {
        readonly parameters: {
            readonly query?: {
                /** @description Default: everything. Values above 500 are taken for 500. */
                readonly limit?: number;
                /** @description Beyond 10000, the answer is 400 unless the list has ended: use `cursor`. */
                readonly offset?: number;
                /** @description `next_cursor` of an earlier answer. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly tokens: readonly {
                            readonly token_id: string;
                            readonly tenant_id: string;
                            readonly name: string;
                            /** @enum {string} */
                            readonly role: "operator" | "developer" | "reviewer" | "viewer" | "worker";
                            /** Format: date-time */
                            readonly created_at: string;
                            readonly expires_at: string | null;
                            readonly revoked_at: string | null;
                            /** @description To the minute. */
                            readonly last_used_at: string | null;
                            /** @description The token it was rotated to. */
                            readonly replaced_by: string | null;
                            readonly expired: boolean;
                        }[];
                        /** @description How many there are in all. */
                        readonly total: number;
                        /** @description Null on the last page. */
                        readonly next_cursor: string | null;
                    };
                };
            };
        };
    };
    readonly "create-token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Shown in events and the audit log as `token:<name>`. */
                    readonly name: string;
                    /** @enum {string} */
                    readonly role: "operator" | "developer" | "reviewer" | "viewer" | "worker";
                    /** @description Default: never expires. */
                    readonly expires_in_seconds?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly token_id: string;
                        readonly tenant_id: string;
                        readonly name: string;
                        /** @enum {string} */
                        readonly role: "operator" | "developer" | "reviewer" | "viewer" | "worker";
                        /** Format: date-time */
                        readonly created_at: string;
                        readonly expires_at: string | null;
                        readonly revoked_at: string | null;
                        /** @description To the minute. */
                        readonly last_used_at: string | null;
                        /** @description The token it was rotated to. */
                        readonly replaced_by: string | null;
                        readonly expired: boolean;
                        readonly token: string;
                    };
                };
            };
        };
    };
    readonly "revoke-token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Token id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly token_id: string;
                        readonly tenant_id: string;
                        readonly name: string;
                        /** @enum {string} */
                        readonly role: "operator" | "developer" | "reviewer" | "viewer" | "worker";
                        /** Format: date-time */
                        readonly created_at: string;
                        readonly expires_at: string | null;
                        readonly revoked_at: string | null;
                        /** @description To the minute. */
                        readonly last_used_at: string | null;
                        /** @description The token it was rotated to. */
                        readonly replaced_by: string | null;
                        readonly expired: boolean;
                    };
                };
            };
        };
    };
    readonly "rotate-token": {
        readonly parameters: {
            readonly query?: {
                /** @description How long both tokens are accepted. Values above 2592000 are taken for 2592000. */
                readonly grace_seconds?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Token id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly token_id: string;
                        readonly tenant_id: string;
                        readonly name: string;
                        /** @enum {string} */
                        readonly role: "operator" | "developer" | "reviewer" | "viewer" | "worker";
                        /** Format: date-time */
                        readonly created_at: string;
                        readonly expires_at: string | null;
                        readonly revoked_at: string | null;
                        /** @description To the minute. */
                        readonly last_used_at: string | null;
                        /** @description The token it was rotated to. */
                        readonly replaced_by: string | null;
                        readonly expired: boolean;
                        readonly token: string;
                        readonly replaced: {
                            readonly token_id: string;
                            readonly tenant_id: string;
                            readonly name: string;
                            /** @enum {string} */
                            readonly role: "operator" | "developer" | "reviewer" | "viewer" | "worker";
                            /** Format: date-time */
                            readonly created_at: string;
                            readonly expires_at: string | null;
                            readonly revoked_at: string | null;
                            /** @description To the minute. */
                            readonly last_used_at: string | null;
                            /** @description The token it was rotated to. */
                            readonly replaced_by: string | null;
                            readonly expired: boolean;
                        };
                    };
                };
            };
        };
    };
    readonly "get-openapi": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
    readonly "get-workflow-schema": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
}
