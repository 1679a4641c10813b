// A session with the adapter, through Microsoft's client for tests of debug adapters.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const ROOT = process.env.AFTERIMAGE_ROOT;
const AFTERIMAGE = process.env.AFTERIMAGE;
const TRACES = process.env.AFTERIMAGE_TRACES;
// Generous, because other tests run at the same time.
const TIMEOUT = 120_000;

/** Returns the trace of a recorded demo. */
const trace = (name) => path.join(TRACES, `${name}.aftr`);

/** Returns the file of a demo's shader. */
const shader = (name) => path.join(ROOT, 'demos/src/bin', name);

/** Returns the number of the first line of a file that contains a text. */
function lineOf(file, text) {
  const at = fs.readFileSync(file, 'utf8').split('\n').findIndex((line) => line.includes(text));
  assert.notEqual(at, -1, `${file} has a line with ${text}`);
  return at + 1;
}

/** A client and the events that it received. */
class Session {
  constructor() {
    this.client = new DebugClient(AFTERIMAGE, 'dap', 'afterimage', undefined, true);
    this.client.defaultTimeout = TIMEOUT;
    this.events = [];
    for (const kind of ['output', 'thread', 'progressStart', 'progressEnd', 'invalidated', 'breakpoint', 'loadedSource', 'terminated']) {
      this.client.on(kind, (event) => this.events.push(event));
    }
  }

  /** Starts the adapter, and sends the client's capabilities. */
  async start(port) {
    await this.client.start(port);
    return this.client.initializeRequest({
      adapterID: 'afterimage',
      linesStartAt1: true,
      columnsStartAt1: true,
      pathFormat: 'path',
      supportsVariableType: true,
      supportsProgressReporting: true,
      supportsInvalidatedEvent: true,
      supportsMemoryReferences: true,
    });
  }

  /** Launches, configures with a function, and returns the first stop. */
  async launch(configuration, configure = async () => {}, request = 'launchRequest') {
    const stopped = this.client.waitForEvent('stopped', TIMEOUT);
    const ready = this.client.waitForEvent('initialized', TIMEOUT);
    // Without a history, unless the test requests one, no other invocations are searched.
    const launched = this.client[request]({ history: false, ...configuration });
    await Promise.all([launched, ready]);
    await configure();
    await this.client.configurationDoneRequest();
    return (await stopped).body;
  }

  /** Sends a request that continues, and returns the next stop. */
  async go(request, ...args) {
    const stopped = this.client.waitForEvent('stopped', TIMEOUT);
    const [answer] = await Promise.all([this.client[request](...args), stopped]);
    assert.equal(answer.success, true);
    return (await stopped).body;
  }

  /** Makes a step, by its name in the protocol or the adapter. */
  step(name, threadId) {
    const steps = { back_into: 1, back_out: 1, to_start: 1, to_end: 1 };
    const own = name in steps;
    return own ? this.go('customRequest', 'afterimage/step', { threadId, step: name }) : this.go(`${name}Request`, { threadId });
  }

  /** Returns the stack of a thread. */
  async stack(threadId) {
    return (await this.client.stackTraceRequest({ threadId })).body.stackFrames;
  }

  /** Returns the variables of a scope of the innermost frame, by name. */
  async scope(threadId, name) {
    const [frame] = await this.stack(threadId);
    const { scopes } = (await this.client.scopesRequest({ frameId: frame.id })).body;
    const scope = scopes.find((scope) => scope.name === name);
    assert.ok(scope, `a scope ${name} among ${scopes.map((scope) => scope.name)}`);
    const { variables } = (await this.client.variablesRequest({ variablesReference: scope.variablesReference })).body;
    return { scope, frame, variables: new Map(variables.map((variable) => [variable.name, variable])) };
  }

  /** Evaluates an expression. */
  async value(threadId, expression, context = 'watch') {
    const [frame] = await this.stack(threadId);
    return (await this.client.evaluateRequest({ expression, frameId: frame.id, context })).body.result;
  }

  /** Sets breakpoints at lines of a file. */
  async breakpoints(file, breakpoints) {
    const answer = await this.client.setBreakpointsRequest({ source: { path: file }, breakpoints });
    return answer.body.breakpoints;
  }

  /** Disconnects. */
  stop() {
    return this.client.stop();
  }
}

/** Returns the number of a displayed value, without its verdict. */
const number = (text) => Number(text.split('  — ')[0]);

/** Waits until a condition holds. */
async function until(holds, what) {
  const end = Date.now() + TIMEOUT;
  while (!holds()) {
    assert.ok(Date.now() < end, `${what} in time`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

module.exports = { AFTERIMAGE, TIMEOUT, ROOT, Session, lineOf, number, shader, trace, until };
