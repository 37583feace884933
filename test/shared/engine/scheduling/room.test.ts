import test from 'ava';

import { Room } from '../../../../src/shared/engine/scheduling/room.ts';

const UNDER_WAY_MAX = 1_000;
const DECIDED_MAX = 100;

test('a new process lets items go to the queue, until a claim has taken everything from there', (t) => {
  const room = new Room();
  t.false(room.takesItems(0));
  claim(room, { tookAll: false });
  t.false(room.takesItems(0));
  claim(room, { tookAll: true });
  t.true(room.takesItems(0));
});

test('items begin while fewer executions than the limit are under way', (t) => {
  const room = openRoom(2);
  t.true(room.takesItems(0));
  t.true(room.takesItems(1));
  t.false(room.takesItems(2));
});

test('after one item has gone to the queue, no other overtakes it', (t) => {
  const room = openRoom(2);
  t.false(room.takesItems(2));
  t.false(room.takesItems(0));
  claim(room, { tookAll: true });
  t.true(room.takesItems(0));
});

test('during a claim with room nothing is overtaken, and an item that goes to the queue meanwhile is remembered', (t) => {
  const room = openRoom(2);
  const first = room.beginClaim();
  t.true(room.takesItems(0));
  first.end({ tookAll: true });
  t.true(room.takesItems(0));

  const second = room.beginClaim();
  t.false(room.takesItems(2));
  second.end({ tookAll: true });
  t.false(room.takesItems(0), 'the claim may have come before it');
  claim(room, { tookAll: true });
  t.true(room.takesItems(0));
});

test('while items are left, none overtakes them during a claim', (t) => {
  const room = openRoom(2);
  claim(room, { tookAll: false });
  const next = room.beginClaim();
  t.false(room.takesItems(0));
  next.end({ tookAll: false });
  t.false(room.takesItems(0));
});

test('tenants take turns after a claim that left items, and after one whose outcome is unknown', (t) => {
  const room = new Room();
  t.true(room.beginClaim().inTurns, 'nothing is known of the queue');
  t.true(room.beginClaim().inTurns, 'the first claim has not ended');
  claim(room, { tookAll: true });
  t.false(claim(room, { tookAll: false }).inTurns);
  t.true(claim(room, { tookAll: true }).inTurns);
  t.false(claim(room, { tookAll: true }).inTurns);
});

test('more executions advance up to the limit of a process, or that of its items', (t) => {
  const room = new Room();
  const left = (underWay: number) => room.forExecutions({ underWay, countDecided: () => 0 });
  t.is(left(0), UNDER_WAY_MAX);
  t.is(left(UNDER_WAY_MAX - 200), 200);
  room.limitItems(250);
  t.is(left(50), 200);
});

test('some executions that run no item advance in a full process too', (t) => {
  const room = openRoom(250);
  const left = (underWay: number, decided: number) =>
    room.forExecutions({ underWay, countDecided: () => decided });
  t.is(left(250, 0), DECIDED_MAX);
  t.is(left(2_000, 30), DECIDED_MAX - 30);
  t.is(left(350, DECIDED_MAX), 0);
  t.is(left(500, 2 * DECIDED_MAX), 0, 'never less than none');
  t.is(left(200, 90), 50, 'the room for items is more');
});

test('executions are counted only where that can give room', (t) => {
  const room = openRoom(250);
  const countDecided = () => t.fail('there is room enough');
  t.is(room.forExecutions({ underWay: 150, countDecided }), DECIDED_MAX);
});

/** With room for this many, and nothing on the queue. */
function openRoom(itemsMax: number): Room {
  const room = new Room();
  room.limitItems(itemsMax);
  claim(room, { tookAll: true });
  return room;
}

function claim(room: Room, outcome: { readonly tookAll: boolean }) {
  const begun = room.beginClaim();
  begun.end(outcome);
  return begun;
}
