import {
  describeParameter,
  listFields,
  nameType,
  splitReplies,
  type ListedOperation,
  type Parameter,
  type Schema,
} from '../openapi/reading.ts';
import { html, renderWords, type Html } from './html.ts';
import { sampleOf } from './sample-body.ts';

/** One endpoint: what it does, what it takes and gives, and a form that the script brings to life. */
export function renderOperation({ method, path, operation }: ListedOperation): Html {
  const { operationId, summary, description, parameters = [] } = operation;
  const body = operation.requestBody?.content['application/json']?.schema;
  const { replies, errors } = splitReplies(operation);
  const answers = replies.map(({ status, content }) => {
    if (content['*/*']) {
      return html`<h4>Answer ${status}</h4>
        <p>The bytes, of their type.</p>`;
    }
    const streamed = content['text/event-stream'] ? html`, or <code>text/event-stream</code>` : '';
    return html`<h4>Answer ${status}${streamed}</h4>
      ${renderFields(content['application/json']?.schema ?? {})}`;
  });
  return html`<details id="${operationId}" class="operation">
    <summary>
      <h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></h3>
      <span>${summary}</span>
    </summary>
    ${renderWords(description)} ${renderParameters(parameters)}
    ${
      body === undefined
        ? ''
        : html`<h4>Body</h4>
            ${renderFields(body)}`
    }
    ${answers}
    <p>Errors: ${errors.join(', ')}.</p>
    ${renderForm({ method, path, parameters, body })}
  </details> `;
}

function renderParameters(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(
    (parameter) =>
      html`<tr>
        <th scope="row"><code>${parameter.name}</code></th>
        <td>${parameter.in}</td>
        <td>${nameType(parameter.schema)}</td>
        <td>${parameter.required ? 'yes' : 'no'}</td>
        <td>${renderWords(describeParameter(parameter))}</td>
      </tr>`,
  );
  const headings = ['Name', 'In', 'Type', 'Required', 'Meaning'];
  return html`<h4>Parameters</h4>
    ${renderTable(headings, rows)}`;
}

function renderTable(headings: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function renderFields(schema: Schema): Html {
  const fields = listFields(schema);
  if (fields.length === 0) return html`<p>A JSON object.</p>`;
  const rows = fields.map(
    ({ path, type, required, description }) =>
      html`<tr>
        <th scope="row"><code>${path}</code></th>
        <td>${type}</td>
        <td>${required ? 'yes' : 'no'}</td>
        <td>${renderWords(description)}</td>
      </tr>`,
  );
  return renderTable(['Field', 'Type', 'Required', 'Meaning'], rows);
}

function renderForm(params: {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
}): Html {
  const { method, path, parameters, body } = params;
  const inputs = parameters.map(
    ({ name, in: place, required }) =>
      html`<label
        >${name}
        <input
          name="${name}"
          data-in="${place}"
          autocomplete="off"
          spellcheck="false"
          ${required ? html` required` : ''}
      /></label> `,
  );
  const text =
    body === undefined
      ? ''
      : html`<label
          >Body
          <textarea name="body" rows="8" spellcheck="false">
${JSON.stringify(sampleOf(body), null, 2)}</textarea>
        </label> `;
  return html`<form
    class="try needs-script"
    hidden
    data-method="${method.toUpperCase()}"
    data-path="${path}"
  >
    <h4>Try it</h4>
    ${inputs}${text}<button>Send</button>
    <output aria-live="polite"></output>
  </form>`;
}
