// The debug type `afterimage`: how the adapter is started, and the pixel picker.

import * as vscode from 'vscode';
import { Picker } from './picker';

const TYPE = 'afterimage';

/** Starts `afterimage dap`, or connects to one that listens on a port. */
class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
    const port = session.configuration.debugServer;
    if (typeof port === 'number') {
      return new vscode.DebugAdapterServer(port);
    }
    const program = vscode.workspace.getConfiguration('afterimage').get<string>('program', 'afterimage');
    return new vscode.DebugAdapterExecutable(program, ['dap']);
  }
}

/** Fills in the defaults of a configuration. */
class Configurations implements vscode.DebugConfigurationProvider {
  async resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (configuration.type) {
      return { cwd: folder?.uri.fsPath, ...configuration };
    }
    // Started without a configuration: the user chooses a trace.
    const trace = await chooseTrace();
    return trace ? { type: TYPE, request: 'launch', name: 'Trace', trace } : undefined;
  }
}

/** Tells the picker when a session stops or is ready. */
class Tracker implements vscode.DebugAdapterTracker {
  constructor(
    private readonly session: vscode.DebugSession,
    private readonly picker: Picker,
  ) {}

  onDidSendMessage(message: { type: string; event?: string; command?: string; success?: boolean }): void {
    if (message.type === 'event' && message.event === 'stopped') {
      this.picker.stopped(this.session);
    }
    const opened = message.type === 'response' && message.command === 'configurationDone' && message.success;
    const wanted = vscode.workspace.getConfiguration('afterimage').get<boolean>('pickerOnStart', true);
    if (opened && wanted && !namesInvocation(this.session.configuration)) {
      void this.picker.show(this.session);
    }
  }
}

/** Returns whether a configuration says what to debug. */
function namesInvocation(configuration: vscode.DebugConfiguration): boolean {
  return ['pixel', 'vertex', 'primitive', 'thread'].some((key) => configuration[key] !== undefined);
}

async function chooseTrace(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: false,
    openLabel: 'Debug',
    filters: { Traces: ['aftr'] },
  });
  return chosen?.[0]?.fsPath;
}

/** Returns the active Afterimage session, or tells the user that there is none. */
function active(): vscode.DebugSession | undefined {
  const session = vscode.debug.activeDebugSession;
  if (session?.type === TYPE) {
    return session;
  }
  void vscode.window.showInformationMessage('No Afterimage session is active.');
  return undefined;
}

async function step(step: string): Promise<void> {
  try {
    await active()?.customRequest('afterimage/step', { step });
  } catch (error) {
    void vscode.window.showErrorMessage(String(error instanceof Error ? error.message : error));
  }
}

export function activate(context: vscode.ExtensionContext): void {
  const picker = new Picker(context.extensionUri);
  const showPicker = async (): Promise<void> => {
    const session = active();
    if (session) {
      await picker.show(session);
    }
  };
  const open = async (): Promise<void> => {
    const trace = await chooseTrace();
    if (trace) {
      const configuration = { type: TYPE, request: 'launch', name: 'Trace', trace };
      await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], configuration);
    }
  };
  context.subscriptions.push(
    picker,
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, new AdapterFactory()),
    vscode.debug.registerDebugConfigurationProvider(TYPE, new Configurations()),
    vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
      createDebugAdapterTracker: (session) => new Tracker(session, picker),
    }),
    vscode.debug.onDidTerminateDebugSession((session) => picker.ended(session)),
    vscode.commands.registerCommand('afterimage.pick', showPicker),
    vscode.commands.registerCommand('afterimage.open', open),
    vscode.commands.registerCommand('afterimage.stepBackInto', () => step('back_into')),
    vscode.commands.registerCommand('afterimage.stepBackOut', () => step('back_out')),
  );
}
