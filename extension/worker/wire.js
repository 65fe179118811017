/**
 * The envelope and the error codes of Sidekick's protocol: the same as
 * internal/wire of the Go program, whose golden JSON the tests read.
 *
 * A message with `id` and `method` is a request, with `id` alone its response,
 * with `method` alone an event. `agent` says whose it is; it is the helper that
 * writes it, so no agent can name another.
 *
 * @typedef {{code: number, message: string}} WireError
 * @typedef {{message: number, index: number, total: number, data: string}} Part
 * @typedef {{
 *   id?: number, agent?: string, sessionId?: string, method?: string,
 *   params?: any, result?: any, error?: WireError, part?: Part,
 * }} Message
 *
 * Who an agent is, as the helper says it in `agent.opened`.
 * @typedef {{
 *   id: string, pairing: string, name: string, slug: string, title: string,
 *   color: string, managed?: boolean,
 * }} AgentInfo
 */

/** The version of the messages; a helper that speaks another refuses us. */
export const PROTOCOL = 1;
/** The oldest that this side still speaks: internal/wire says why. */
export const OLDEST = 1;

/** The name under which the browser knows the program to start. */
export const HOST = 'ai.frogbot.sidekick';

/** Error codes: part of the protocol, never renumbered. */
export const Code = Object.freeze({
  Stopped: -31001,
  BlockedSite: -31002,
  NotYours: -31003,
  NotAllowed: -31004,
  HopLost: -31005,
  NoBrowser: -31006,
  TooLarge: -31007,
  Revoked: -31008,
  TabGone: -31009,
  DetachedByUser: -31010,
  NotAttached: -31011,
  BadRequest: -31012,
  Version: -31013,
  NotRun: -31014,
  CDP: -32000,
});

/**
 * A failure that goes to the agent as it is: its message is a sentence that
 * says what was wrong and what to do.
 */
export class Failure extends Error {
  /** @param {number} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * What is sent for anything that a handler threw.
 * @param {unknown} e
 * @returns {WireError}
 */
export function wireError(e) {
  if (e instanceof Failure) return {code: e.code, message: e.message};
  return {code: Code.CDP, message: e instanceof Error ? e.message : String(e)};
}

/** What an agent is told on each call after the user stopped it. */
export const STOPPED =
  'The user stopped this agent in Sidekick. Do not go on: tell the user, and wait until they press Resume.';

/** @param {string} number */
export function notYours(number) {
  return new Failure(Code.NotYours,
    `There is no tab ${number} in your group. Call tabs with action "list" to see your tabs.`);
}

/** @param {string} number */
export function tabGone(number) {
  return new Failure(Code.TabGone,
    `Tab ${number} was closed. Call tabs with action "list" to see your tabs.`);
}
