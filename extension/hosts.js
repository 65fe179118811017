/**
 * What agent hosts take to start an agent that was just added. The helper says
 * it: it knows the hosts, and the command line shows the same.
 *
 * @typedef {{name: string, file: string, snippet: string, reload: string}} HostConfig
 */

/** The choice for hosts that the helper does not know. */
const OTHER = 'other';

/**
 * The configurations to choose from, by id, the one for any other host last.
 * @param {any} added the answer to pairings.add; a helper of before sends no hosts
 * @returns {Map<string, HostConfig>}
 */
export function hostConfigs(added) {
  /** @type {Map<string, HostConfig>} */
  const configs = new Map();
  for (const {id, name, file, snippet, reload} of Array.isArray(added.hosts) ? added.hosts : []) {
    configs.set(String(id), {
      name: String(name), file: String(file ?? ''), snippet: String(snippet ?? '').trimEnd(), reload: String(reload ?? ''),
    });
  }
  if (added.config !== undefined) {
    const snippet = typeof added.config === 'string' ? added.config : JSON.stringify(added.config, null, 2);
    configs.set(OTHER, {name: 'Another host', file: '', snippet, reload: ''});
  }
  return configs;
}

/**
 * The host that an agent's name speaks of, or the one for any other.
 * @param {Map<string, HostConfig>} configs
 * @param {string} name as the user typed it
 */
export function hostNamed(configs, name) {
  const plain = (/** @type {string} */ s) => s.toLowerCase().replace(/[^a-z0-9]/g, '');
  for (const [id, c] of configs) {
    if (plain(name) === plain(id) || plain(name) === plain(c.name)) return id;
  }
  return OTHER;
}
