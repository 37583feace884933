/** Text of a page that is markup already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Part[];

/** A template whose values are escaped, unless they are markup themselves. Lists are joined. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: texts }, ...parts.map(toMarkup)));
}

/** Descriptions are Markdown, of which paragraphs and `code` are all that is used. */
export function renderWords(markdown: string): Html {
  const paragraphs = markdown.split('\n\n').map((paragraph) => {
    const spans = paragraph.split('`');
    return html`<p>
      ${spans.map((span, index) => (index % 2 === 0 ? span : html`<code>${span}</code>`))}
    </p>`;
  });
  return html`${paragraphs}`;
}

function toMarkup(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(toMarkup).join('');
  return String(part).replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
