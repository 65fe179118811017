/** The settings: connected agents, blocked sites. */
import {hostConfigs, hostNamed} from './hosts.js';
import {ask, byId, el, showConnection, watch} from './page.js';

/** @typedef {import('./page.js').View} View */
/** @typedef {import('./worker/ui.js').Pairing} Pairing */

/** @param {string} id */
const input = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** What is shown, to rebuild a list only when it changed: buttons keep the focus. */
const shown = {pairings: '', blocked: ''};

watch((view) => {
  showConnection(byId('connection'), view.connection);
  const pairings = JSON.stringify(view.pairings);
  if (pairings !== shown.pairings) {
    shown.pairings = pairings;
    byId('pairings').replaceChildren(...view.pairings.map(pairingRow));
  }
  byId('no-pairings').hidden = view.pairings.length > 0 || view.connection.phase !== 'connected';
  const blocked = JSON.stringify(view.blocked);
  if (blocked !== shown.blocked) {
    shown.blocked = blocked;
    byId('blocked').replaceChildren(...view.blocked.map(blockedRow));
  }
});

/** @param {Pairing} p */
function pairingRow(p) {
  const rename = el('button', {type: 'button', 'aria-label': `Rename ${p.name}`}, 'Rename');
  const revoke = el('button', {type: 'button', class: 'danger', 'aria-label': `Revoke ${p.name}`}, 'Revoke');
  rename.addEventListener('click', async () => {
    const name = await confirmed({title: `Rename ${p.name}`, yes: 'Rename', value: p.name});
    if (name && name !== p.name) run('add-error', ask('pairings.rename', {id: p.id, name}));
  });
  revoke.addEventListener('click', async () => {
    const yes = await confirmed({
      title: `Revoke ${p.name}?`, yes: 'Revoke',
      text: 'It is cut off at once and its token never works again. Its tabs stay open.',
    });
    if (yes) run('add-error', ask('pairings.revoke', {id: p.id}));
  });
  const scripts = /** @type {HTMLInputElement} */ (el('input', {type: 'checkbox', 'aria-label': `${p.name} may run scripts in pages`}));
  scripts.checked = !p.no_evaluate;
  scripts.addEventListener('change', async () => {
    const done = await run('add-error', ask('pairings.limit', {id: p.id, no_evaluate: !scripts.checked}));
    if (!done) scripts.checked = !scripts.checked;
  });
  const where = p.managed ? 'in Sidekick\'s own browser' : p.here === false ? 'in another browser or profile' : '';
  const facts = [
    where, p.created_at ? `added ${date(p.created_at)}` : '',
    p.last_used_at && !p.last_used_at.startsWith('0001') ? `last used ${date(p.last_used_at)}` : 'never used',
  ].filter(Boolean).join(' · ');
  return el('li', {}, el('span', {class: 'what'}, p.name, el('span', {class: 'soft'}, facts)),
    el('label', {class: 'soft', title: 'The tool evaluate: the agent runs JavaScript of its own in its tabs.'}, scripts, ' Scripts'), rename, revoke);
}

/** @param {string} host */
function blockedRow(host) {
  const remove = el('button', {type: 'button', 'aria-label': `Unblock ${host}`}, 'Unblock');
  remove.addEventListener('click', () => run('block-error', ask('blocked.remove', {site: host})));
  return el('li', {}, el('span', {class: 'what'}, host, el('span', {class: 'soft'}, `and everything under it`)), remove);
}

byId('add').addEventListener('submit', async (e) => {
  e.preventDefault();
  const name = input('add-name').value.trim();
  const added = await run('add-error', ask('pairings.add', {name}));
  if (!added) return;
  input('add-name').value = '';
  showNew(added);
});

/** The configurations of the agent that was just added, by the host's id. */
let configs = hostConfigs({});

/** @param {any} added */
function showNew(added) {
  const name = added.pairing?.name ?? 'The agent';
  const env = Object.entries(added.env ?? {}).map(([k, v]) => `${k}=${v}`).join(' ');
  byId('new-title').textContent = `${name} is added`;
  byId('command').textContent = `${env} ${added.command}`;
  configs = hostConfigs(added);
  const select = /** @type {HTMLSelectElement} */ (byId('host'));
  select.replaceChildren(...[...configs].map(([id, c]) => el('option', {value: id}, c.name)));
  select.value = hostNamed(configs, name);
  byId('host-line').hidden = configs.size < 2;
  byId('copied').textContent = '';
  byId('new').hidden = false;
  showConfig();
  byId('new-title').focus();
}

/** Shows the configuration of the host that is chosen. */
function showConfig() {
  const c = configs.get(/** @type {HTMLSelectElement} */ (byId('host')).value);
  byId('where').textContent = c?.file ? `For ${c.file}` : 'Configuration';
  byId('config').textContent = c?.snippet ?? '';
  byId('reload').textContent = c?.reload ?? '';
  byId('copied').textContent = '';
}

byId('host').addEventListener('change', showConfig);

byId('new-done').addEventListener('click', () => {
  byId('new').hidden = true;
  // The token is in all of them.
  configs.clear();
  byId('config').textContent = byId('command').textContent = '';
  input('add-name').focus();
});

for (const what of ['config', 'command']) {
  byId(`copy-${what}`).addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(byId(what).textContent ?? '');
      byId('copied').textContent = what === 'config' ? 'Configuration copied.' : 'Command copied.';
    } catch {
      getSelection()?.selectAllChildren(byId(what));
      byId('copied').textContent = 'Selected: press Ctrl+C, or ⌘C, to copy.';
    }
  });
}

byId('block').addEventListener('submit', async (e) => {
  e.preventDefault();
  if (await run('block-error', ask('blocked.add', {site: input('block-site').value}))) {
    input('block-site').value = '';
  }
});

/**
 * Shows what goes wrong.
 * @template T
 * @param {string} where
 * @param {Promise<T>} work
 * @returns {Promise<T | null>}
 */
async function run(where, work) {
  byId(where).textContent = '';
  try {
    return await work;
  } catch (e) {
    byId(where).textContent = /** @type {Error} */ (e).message;
    return null;
  }
}

/**
 * Asks the user; with a value, for a text.
 * @param {{title: string, text?: string, yes: string, value?: string}} q
 * @returns {Promise<string>} '' when the user does not want it
 */
function confirmed({title, text = '', yes, value}) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('ask'));
  byId('ask-title').textContent = title;
  byId('ask-text').textContent = text;
  byId('ask-text').hidden = !text;
  const button = byId('ask-yes');
  button.textContent = yes;
  button.className = value === undefined ? 'danger' : 'primary';
  const field = input('ask-input');
  field.hidden = value === undefined;
  field.required = value !== undefined;
  field.value = value ?? '';
  dialog.returnValue = '';
  dialog.showModal();
  if (value !== undefined) field.select();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      const ok = dialog.returnValue === 'yes';
      resolve(!ok ? '' : value === undefined ? 'yes' : field.value.trim());
    }, {once: true});
  });
}

/** @param {string} iso */
function date(iso) {
  const d = new Date(iso);
  return Number.isNaN(d.getTime()) ? iso : d.toLocaleDateString(undefined, {dateStyle: 'medium'});
}
