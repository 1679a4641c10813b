// The picture of a frame beside the sources: a click on a pixel moves the session there.

import * as fs from 'node:fs';
import * as vscode from 'vscode';

/** The answer to `afterimage/picture`. */
interface Picture {
  width: number;
  height: number;
  png: string;
  command: number;
  frame: number | null;
  frames: number;
}

/** A message from the page. */
type PageMessage = { kind: 'ready' } | { kind: 'pick'; x: number; y: number } | { kind: 'frame'; frame: number };

export class Picker implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private session: vscode.DebugSession | undefined;
  private picture: Picture | undefined;
  private pixel: [number, number] | undefined;

  constructor(private readonly root: vscode.Uri) {}

  /** Shows the picture of the debugged frame. */
  async show(session: vscode.DebugSession): Promise<void> {
    if (this.session !== session) {
      this.picture = undefined;
      this.pixel = session.configuration.pixel;
    }
    this.session = session;
    if (this.panel) {
      this.panel.reveal(undefined, true);
    } else {
      this.panel = this.create();
    }
    await this.load(this.picture?.frame ?? session.configuration.frame);
  }

  /** Loads the picture at the first stop, if it was requested too early. */
  stopped(session: vscode.DebugSession): void {
    if (this.panel && session === this.session && !this.picture) {
      void this.load(session.configuration.frame);
    }
  }

  /** Closes the picker when its session ends. */
  ended(session: vscode.DebugSession): void {
    if (session === this.session) {
      this.dispose();
    }
  }

  dispose(): void {
    this.panel?.dispose();
    this.panel = undefined;
    this.session = undefined;
    this.picture = undefined;
  }

  private create(): vscode.WebviewPanel {
    const media = vscode.Uri.joinPath(this.root, 'media');
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('afterimage.picker', 'Pixel Picker', place, {
      enableScripts: true,
      localResourceRoots: [media],
      retainContextWhenHidden: true,
    });
    const page = fs.readFileSync(vscode.Uri.joinPath(media, 'picker.html').fsPath, 'utf8');
    const script = panel.webview.asWebviewUri(vscode.Uri.joinPath(media, 'picker.js'));
    panel.webview.html = page.replaceAll('{{source}}', panel.webview.cspSource).replaceAll('{{script}}', script.toString());
    panel.webview.onDidReceiveMessage((message: PageMessage) => void this.receive(message));
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }

  private async receive(message: PageMessage): Promise<void> {
    switch (message.kind) {
      case 'ready':
        await this.send();
        break;
      case 'frame':
        await this.load(message.frame);
        break;
      case 'pick':
        await this.pick(message.x, message.y);
        break;
    }
  }

  /** Asks the adapter for a picture. */
  private async load(frame: number | undefined): Promise<void> {
    try {
      this.picture = await this.session?.customRequest('afterimage/picture', frame === undefined ? {} : { frame });
      await this.send();
    } catch (error) {
      await this.panel?.webview.postMessage({ kind: 'failed', why: text(error) });
    }
  }

  private async send(): Promise<void> {
    if (this.picture) {
      await this.panel?.webview.postMessage({ kind: 'picture', picture: this.picture, pixel: this.pixel });
    }
  }

  /** Moves the session to the fragment that wrote a pixel last. */
  private async pick(x: number, y: number): Promise<void> {
    const frame = this.picture?.frame ?? undefined;
    try {
      await this.session?.customRequest('afterimage/pick', { pixel: [x, y], frame });
      this.pixel = [x, y];
      await this.panel?.webview.postMessage({ kind: 'picked', x, y });
    } catch (error) {
      await this.panel?.webview.postMessage({ kind: 'failed', why: text(error) });
    }
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
