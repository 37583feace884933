import test from 'ava';
import { totalsOfJunit } from './junit.ts';

test('passed, failed and skipped tests of a report', (t) => {
  const xml = `<testsuites><testsuite name="pytest" tests="4">
    <testcase classname="test_client" name="test_adds" time="0.1" />
    <testcase classname="test_client" name="test_fails"><failure message="assert 1 == 2">trace</failure></testcase>
    <testcase classname="test_client" name="test_breaks"><error message="boom">trace</error></testcase>
    <testcase classname="test_client" name="test_skips"><skipped message="no reason"/></testcase>
  </testsuite></testsuites>`;
  t.deepEqual(totalsOfJunit(xml), {
    passed: 1,
    failed: 2,
    failures: ['test_client › test_fails\n  assert 1 == 2', 'test_client › test_breaks\n  boom'],
  });
});

test('an exception without a message, and output that looks like a report', (t) => {
  const xml = `<testsuite name="io.svc.JsonTest">
    <testcase name="breaks" classname="io.svc.JsonTest"><error type="java.lang.NullPointerException"><![CDATA[trace]]></error></testcase>
    <testcase name="writes" classname="io.svc.JsonTest"><system-out><![CDATA[<failure message="no"/> <skipped/>]]></system-out></testcase>
  </testsuite>`;
  t.deepEqual(totalsOfJunit(xml), {
    passed: 1,
    failed: 1,
    failures: ['io.svc.JsonTest › breaks\n  java.lang.NullPointerException'],
  });
});
