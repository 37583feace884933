// The reference's script: finds endpoints and sends requests to them. Answers are shown as text.

const token = document.getElementById('token');
const tenant = document.getElementById('tenant');
const find = document.getElementById('find');
const operations = [...document.querySelectorAll('.operation')];

for (const element of document.querySelectorAll('.needs-script')) element.hidden = false;
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.classList.contains('try')) void send(form);
  });
}
find.addEventListener('input', showMatches);
addEventListener('hashchange', openTarget);
openTarget();

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.classList.contains('operation')) target.open = true;
}

function showMatches() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const operation of operations) {
    const text = operation.querySelector('summary').textContent.toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of document.querySelectorAll('section')) {
    section.hidden = section.querySelector('.operation:not([hidden])') === null;
  }
}

async function send(form) {
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  button.disabled = true;
  output.textContent = 'Sending …';
  try {
    output.textContent = await exchange(form);
  } catch (error) {
    output.textContent = `No answer: ${error.message}`;
  } finally {
    button.disabled = false;
  }
}

async function exchange(form) {
  const url = addressOf(form);
  const body = form.querySelector('textarea')?.value;
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: form.dataset.method,
    headers: {
      accept: 'application/json',
      ...(token.value && { authorization: `Bearer ${token.value.trim()}` }),
      ...(tenant.value && { 'x-tenant-id': tenant.value.trim() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const ms = Math.round(performance.now() - startedAt);
  const title = `${form.dataset.method} ${url.pathname}${url.search}`;
  return `${title}\n${response.status} ${response.statusText} in ${ms} ms\n\n${indent(text)}`;
}

function addressOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll('input[data-in]')) {
    if (input.dataset.in === 'path') {
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    } else if (input.value !== '') {
      query.set(input.name, input.value);
    }
  }
  const url = new URL(path, location.origin);
  url.search = query.toString();
  return url;
}

function indent(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
