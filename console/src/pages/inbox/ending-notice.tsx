import { TextArea } from '../../ui/controls/field.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { useDraft } from './drafts.ts';
import styles from './page.module.css';
import { keyOf, useEnding, type ApprovalName } from './read-approvals.ts';

/** Who ended an approval that was open on this page, or what did, and the comment that came too late. */
export function EndingNotice({ name }: { readonly name: ApprovalName }) {
  const ending = useEnding(name);
  const [unsent] = useDraft(keyOf(name));
  return (
    <>
      <div role="status" className={styles.ended}>
        <ReadingContent query={ending}>
          {(end) =>
            end === null ? (
              <p>
                Nobody can decide it now: its deadline has passed, or the execution has moved on.
              </p>
            ) : (
              <>
                <p>
                  <strong>{end.by ?? 'Somebody'}</strong> {end.decision} it <Time at={end.at} />.
                </p>
                {end.comment === null ? null : (
                  <blockquote className={styles.text}>{end.comment}</blockquote>
                )}
              </>
            )
          }
        </ReadingContent>
      </div>
      {unsent === '' ? null : (
        <TextArea
          label="Your comment"
          hint="It was not sent: the decision came first. Copy it if you need it."
          rows={2}
          readOnly
          value={unsent}
        />
      )}
    </>
  );
}
