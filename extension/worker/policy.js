/**
 * Who may do what in a tab: the CDP methods that agents may use, the addresses
 * that they may open, the sites that the user blocked. The extension is the
 * last word on this: nothing that the helper or an agent sends is trusted.
 */
import {Code, Failure} from './wire.js';
import {blockedBy} from './sites.js';

/** @param {string} domain @param {string} methods */
const of = (domain, methods) => methods.split(' ').map((m) => `${domain}.${m}`);

/** The CDP methods that agents may use; all others are refused. */
const ALLOWED = new Set([
  ...of('Page', 'enable disable navigate reload stopLoading getFrameTree getNavigationHistory ' +
    'navigateToHistoryEntry createIsolatedWorld addScriptToEvaluateOnNewDocument ' +
    'removeScriptToEvaluateOnNewDocument captureScreenshot startScreencast stopScreencast getLayoutMetrics handleJavaScriptDialog printToPDF ' +
    'setLifecycleEventsEnabled setInterceptFileChooserDialog'),
  ...of('Runtime', 'enable disable evaluate callFunctionOn releaseObject releaseObjectGroup ' +
    'getProperties runIfWaitingForDebugger awaitPromise'),
  ...of('DOM', 'enable disable resolveNode describeNode getFrameOwner scrollIntoViewIfNeeded ' +
    'getContentQuads getBoxModel focus setFileInputFiles requestNode getDocument'),
  ...of('CSS', 'disable'),
  ...of('DOMSnapshot', 'captureSnapshot'),
  ...of('Accessibility', 'enable disable getFullAXTree getPartialAXTree getChildAXNodes ' +
    'getRootAXNode queryAXTree'),
  ...of('Input', 'dispatchMouseEvent dispatchKeyEvent insertText dispatchDragEvent setInterceptDrags'),
  ...of('Emulation', 'setFocusEmulationEnabled setDeviceMetricsOverride clearDeviceMetricsOverride'),
  ...of('Target', 'setAutoAttach'),
  ...of('Inspector', 'enable'),
  ...of('Log', 'enable disable'),
  ...of('Network', 'enable disable getResponseBody getRequestPostData'), // of requests that a Ledger knows
  ...of('WebMCP', 'enable disable invokeTool cancelInvocation'),
]);

/**
 * What a tab that shows a blocked site, or a page that is not the web's, still
 * takes: ways to leave it, and switches that show nothing of the page, so that
 * a client can attach in order to leave.
 */
const LEAVING = new Set([
  ...of('Page', 'navigate stopLoading getNavigationHistory navigateToHistoryEntry ' +
    'enable disable setLifecycleEventsEnabled getFrameTree'),
  ...of('Emulation', 'setFocusEmulationEnabled clearDeviceMetricsOverride'),
  ...of('Runtime', 'enable disable runIfWaitingForDebugger'),
  ...of('Target', 'setAutoAttach'),
  'DOM.disable', 'CSS.disable', 'Accessibility.disable', 'Network.disable', 'Log.disable',
  'Inspector.enable', 'WebMCP.disable',
]);

/** Events of such a tab that still go to the agent: that it loads, not what. */
const HARMLESS = /^(Page\.|Inspector\.|Runtime\.executionContext|Target\.)/;

/** @param {string} host */
export function blockedSite(host) {
  return new Failure(Code.BlockedSite,
    `The user blocked ${host} for agents in Sidekick. Do not try another way in; tell the user.`);
}

/** Failures that loading the page again may mend. @type {WeakSet<Failure>} */
const mendable = new WeakSet();

/** @param {string} host */
export function blockedFrame(host) {
  const no = new Failure(Code.BlockedSite,
    `This page holds a frame of ${host}, which the user blocked for agents in Sidekick. Do not try another way in; navigate elsewhere, or reload the page: the frame stays out then.`);
  mendable.add(no);
  return no;
}

/**
 * Why agents may not be on an address, or null when they may.
 * @param {string} url an absolute URL
 * @param {string[]} blocked
 * @returns {Failure | null}
 */
export function barredURL(url, blocked) {
  if (url === '' || url === 'about:blank' || url.startsWith('about:blank#') || url.startsWith('about:blank?')) return null;
  let u;
  try {
    u = new URL(url);
  } catch {
    return new Failure(Code.BadRequest,
      `${quoted(url)} is not a full web address. Give one that begins with https:// or http://.`);
  }
  switch (u.protocol) {
    case 'http:':
    case 'https:': {
      const host = blockedBy(u.hostname, blocked);
      return host ? blockedSite(host) : null;
    }
    case 'data:':
      return null;
    case 'blob:': // blob:https://bank.example/… belongs to the site within
      return u.pathname.startsWith('null/') ? null : barredURL(u.pathname, blocked);
    case 'chrome-error:': // Chrome's own page for an address that did not load
      return null;
    default:
      return new Failure(Code.NotAllowed,
        `Agents may not use addresses that begin with ${u.protocol} (${quoted(url)}); only http:, https: and blob: addresses and about:blank.`);
  }
}

/**
 * Checks an address that an agent asks to open.
 * @param {unknown} url
 * @param {string[]} blocked
 */
export function checkURL(url, blocked) {
  if (typeof url !== 'string' || url === '') {
    throw new Failure(Code.BadRequest, 'The address to open is missing. Give a url, for example "https://example.com/".');
  }
  if (url.startsWith('chrome-error:')) {
    throw new Failure(Code.NotAllowed, 'Agents may not open Chrome\'s error pages.');
  }
  // chrome.debugger answers net::ERR_ABORTED, which tells nobody anything.
  if (/^\s*data:/i.test(url)) {
    throw new Failure(Code.NotAllowed, 'Chrome lets no extension open data: addresses. Open a page that a web server has.');
  }
  const no = barredURL(url, blocked);
  if (no) throw no;
}

/**
 * Why what a tab shows is barred, or null.
 * @param {string} url
 * @param {string[]} blocked
 */
export function barredTab(url, blocked) {
  const no = barredURL(url, blocked);
  if (!no || no.code === Code.BlockedSite) return no;
  return new Failure(Code.NotAllowed,
    `This tab shows ${quoted(url)}, which agents may not touch; only web pages. Open a page in it or use another tab.`);
}

/**
 * Checks one CDP command of a tab that is the agent's.
 * @param {string} method
 * @param {any} params
 * @param {Failure | null} barred why what the target shows is barred
 * @param {string[]} blocked
 */
export function checkCommand(method, params, barred, blocked) {
  if (!ALLOWED.has(method)) {
    throw new Failure(Code.NotAllowed, `Sidekick does not let agents use ${method}.`);
  }
  if (barred && !LEAVING.has(method) && !(method === 'Page.reload' && mendable.has(barred))) throw barred;
  if (method === 'Page.navigate') checkURL(params?.url, blocked);
  else if (method === 'Target.setAutoAttach' && params?.flatten !== true) {
    throw new Failure(Code.NotAllowed, 'Target.setAutoAttach needs flatten: true.');
  }
}

/** Has a session of its own in an agent's tab: a frame, a dedicated worker. */
const ATTACHED = new Set(['iframe', 'worker']);

/**
 * The filter of Target.setAutoAttach as an agent gets it: the agent's own if it
 * wants nothing but what is of its tab alone. A service worker, or a shared one,
 * works for the user's tabs too.
 * @param {unknown} filter
 * @returns {unknown[]}
 */
export function attachable(filter) {
  if (Array.isArray(filter) && filter.every((f) => f?.exclude === true || ATTACHED.has(f?.type))) return filter;
  return [...[...ATTACHED].map((type) => ({type})), {exclude: true}];
}

/** @param {string} method */
export const passesWhenBarred = (method) => HARMLESS.test(method);

const SECRET = /^(cookie|set-cookie2?|authorization|proxy-authorization|.*(token|secret|api-?key|session|csrf|xsrf).*)$/i;

/** @param {any} message of a request or response */
function bare(message) {
  if (!message || typeof message !== 'object') return message;
  const {requestHeaders, requestHeadersText, headersText, postData, postDataEntries, associatedCookies, securityDetails, ...rest} = message;
  if (rest.headers) rest.headers = Object.fromEntries(Object.entries(rest.headers).filter(([k]) => !SECRET.test(k)));
  return rest;
}

/**
 * An event of the Network domain without what lets another act as the user:
 * cookies, keys, what forms hold. Null for one that is of nothing else, or that
 * agents have no use for.
 * @param {string} method
 * @param {any} params
 * @returns {any}
 */
export function withoutSecrets(method, params) {
  switch (method) {
    case 'Network.requestWillBeSent':
      return {...params, request: bare(params.request), redirectResponse: bare(params.redirectResponse)};
    case 'Network.responseReceived':
      return {...params, response: bare(params.response)};
    case 'Network.loadingFinished':
    case 'Network.loadingFailed':
      return params;
    default:
      return null;
  }
}

/** @param {string} s */
const quoted = (s) => JSON.stringify(s.length > 200 ? s.slice(0, 200) + '…' : s);
