/**
 * What requests and their answers carried. The browser is the user's own, with
 * all that they are logged in to, so a body is given out only of a request that
 * was seen to begin in a tab while it was the agent's, and of no blocked site;
 * and never with the passwords and keys in it.
 */
import {Code, Failure} from './wire.js';
import {barredURL, blockedSite} from './policy.js';
import {blockedBy, hostOf} from './sites.js';

/** How many requests of a tab are known; the oldest give way. */
const MAX_REQUESTS = 1000;
/** How much of a body goes to an agent, in characters. */
const MAX_BODY = 100_000;
/** What stands for what is left out. */
const LEFT_OUT = '[left out by Sidekick]';

const RESPONSE = 'Network.getResponseBody';
const REQUEST = 'Network.getRequestPostData';

/** The requests that began in a tab while it was its agent's. */
export class Ledger {
  /** @type {Map<string, {urls: Set<string>, document: string, type: string}>} */
  #requests = new Map();

  /**
   * Takes in that a request began, or goes on elsewhere.
   * @param {any} params of Network.requestWillBeSent
   */
  sent({requestId, documentURL, request}) {
    if (typeof requestId !== 'string' || typeof request?.url !== 'string') return;
    const known = this.#requests.get(requestId);
    this.#requests.delete(requestId);
    this.#requests.set(requestId, {
      urls: (known?.urls ?? new Set()).add(request.url),
      document: String(documentURL ?? ''), type: typeOf(request.headers),
    });
    if (this.#requests.size > MAX_REQUESTS) this.#requests.delete(/** @type {string} */ (this.#requests.keys().next().value));
  }

  /** Its tab is no longer debugged: what is asked later is nothing of it. */
  clear() {
    this.#requests.clear();
  }

  /**
   * Refuses what is none of the agent's. A command that asks for no body it lets
   * pass.
   * @param {string} method
   * @param {any} params
   * @param {string[]} blocked
   * @returns {((result: any) => any) | null} what makes the answer fit for an agent
   */
  check(method, params, blocked) {
    if (method !== RESPONSE && method !== REQUEST) return null;
    const r = this.#requests.get(params?.requestId);
    if (!r) {
      throw new Failure(Code.NotAllowed, 'Sidekick did not see this request begin in your tab. Repeat the action, and ask again.');
    }
    for (const url of r.urls) {
      const no = barredURL(url, blocked);
      if (no) throw no;
    }
    const host = blockedBy(hostOf(r.document), blocked);
    if (host) throw blockedSite(host);
    if (method === RESPONSE) return (result) => ({...result, ...fit('body', result)});
    return (result) => {
      if (!result.base64Encoded && !readable(r.type, result.postData ?? '')) {
        throw new Failure(Code.NotAllowed, 'It is of a form in which Sidekick cannot tell passwords from the rest.');
      }
      return {...result, ...fit('postData', result)};
    };
  }
}

/** @param {Record<string, unknown> | undefined} headers */
function typeOf(headers) {
  for (const [name, value] of Object.entries(headers ?? {})) if (/^content-type$/i.test(name)) return String(value).toLowerCase();
  return '';
}

/**
 * Whether passwords in what a page sends can be told from the rest: it is a
 * form, or JSON under whatever name.
 * @param {string} type
 * @param {string} text
 */
function readable(type, text) {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data|application\/([\w.-]+\+)?json)\b/.test(type) ||
    /^text\/plain\b/.test(type) && /^\s*[[{]/.test(text);
}

/**
 * A body as an agent gets it: what is no text is told by its size alone.
 * @param {'body' | 'postData'} key
 * @param {any} result
 */
function fit(key, result) {
  const text = String(result[key] ?? '');
  if (result.base64Encoded) return {[key]: '', bytes: text.length / 4 * 3 - (/=*$/.exec(text)?.[0].length ?? 0)};
  if (text.length <= MAX_BODY) return {[key]: withoutKeys(text)};
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return {[key]: withoutKeys(text.slice(0, MAX_BODY).replace(/[\ud800-\udbff]$/, '')), total: text.length - pairs};
}

const KEY = /(pass(w(or)?[dt]|phrase|code)?|kennwort|motdepasse|contrasena|senha|pwd|secret|token|otp|cvv|cvc|csrf|xsrf|jwt|bearer|authorization|credentials?|cookie|(api|private|access|session)(key|id))$/;

/**
 * Whether a name says that its value lets another act as the user.
 * @param {string} name
 */
export function isKey(name) {
  // userPassword2, api_key, X-Auth-Token, login[password]
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z\d]+/)
    .map((w) => w.replace(/\d+$/, '')).filter(Boolean);
  return words.some((w, i) => KEY.test(w) || w === 'pin' || w === 'pw' || KEY.test((words[i - 1] ?? '') + w) && /^(key|id)$/.test(w));
}

/** @param {string} s the inside of a JSON string */
function unescaped(s) {
  try {
    return String(JSON.parse(`"${s}"`));
  } catch {
    return s;
  }
}

/** @param {string} s */
function decoded(s) {
  try {
    return decodeURIComponent(s.replaceAll('+', ' '));
  } catch {
    return s;
  }
}

/**
 * A text without passwords and keys, wherever it names them: in JSON or what
 * looks like it, in forms.
 * @param {string} text may end in the middle
 */
export function withoutKeys(text) {
  return text
    .replace(/("((?:[^"\\]|\\.){1,100})"\s*:\s*)("(?:[^"\\]|\\.)*(?:"|\\?$)|-?\d[\d.eE+-]*)/g,
      (all, before, name) => (isKey(unescaped(name)) ? `${before}"${LEFT_OUT}"` : all))
    .replace(/(^|[&?])([^&=\s"<>]{1,100})=([^&\s"<>]+)/g,
      (all, before, name) => (isKey(decoded(name)) ? `${before}${name}=${LEFT_OUT}` : all))
    .replace(/(;\s*name="([^"]{1,100})"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)([^]*?)(?=\r\n--|$)/g,
      (all, before, name) => (isKey(name) ? before + LEFT_OUT : all));
}
