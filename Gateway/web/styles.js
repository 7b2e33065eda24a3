// The look of <popup-screen>. Pages change it by these variables and by ::part().
const dark = `
    --popup-back: #1d2126; --popup-text: #f1f3f5; --popup-soft: #b4bcc6; --popup-line: #3c434c;
    --popup-accent: #8fb0ff; --popup-on-accent: #10151c; --popup-focus: #a8c7ff;
    --popup-success: #62d394; --popup-warning: #ffc35c; --popup-error: #ff9d94;
`;
export const styles = `
:host {
    --popup-back: #fff; --popup-text: #1a1d21; --popup-soft: #565d66; --popup-line: #d4d8dd; --popup-shade: #0008;
    --popup-accent: #3559b5; --popup-on-accent: #fff; --popup-focus: #0b57d0; --popup-radius: 12px;
    --popup-success: #1a7f45; --popup-warning: #8f5a00; --popup-error: #b3261e;
    --popup-font: 16px/1.45 system-ui, sans-serif; --popup-width: 26rem;
}
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${dark} } }
:host([theme=dark]) { ${dark} }
:host { display: contents; font: var(--popup-font); color: var(--popup-text); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.place {
    position: fixed; z-index: 2147483000; pointer-events: none; display: flex; flex-direction: column; gap: 12px;
    max-height: 100vh; max-width: 100vw;
}
#place-top { inset: 0 0 auto 0; gap: 1px; }
#place-bottom { inset: auto 0 0 0; align-items: center; }
#place-center { inset: 0; align-items: center; justify-content: center; padding: 16px; }
#place-full { inset: 0; gap: 0; }
#place-corner {
    z-index: 2147483001; inset: auto 16px 16px auto; width: min(var(--popup-width), 100vw - 32px);
    max-height: calc(100vh - 32px);
}
:host([corner=top-right]) #place-corner { inset: 16px 16px auto auto; }
:host([corner=top-left]) #place-corner { inset: 16px auto auto 16px; }
:host([corner=bottom-left]) #place-corner { inset: auto auto 16px 16px; }
.box {
    pointer-events: auto; position: relative; overflow: auto; margin: 0; padding: 16px 20px; width: 100%;
    max-width: 100vw; max-height: 100vh; color: var(--popup-text); background: var(--popup-back);
    border: 1px solid var(--popup-line); border-inline-start: 6px solid var(--popup-accent);
    border-radius: var(--popup-radius); box-shadow: 0 8px 32px #0004; overflow-wrap: anywhere;
}
.place:has(> :nth-child(6)) { overflow-y: auto; }
.place:has(> :nth-child(6)) .box { flex: none; }
.box[data-style=success] { --popup-accent: var(--popup-success); }
.box[data-style=warning] { --popup-accent: var(--popup-warning); }
.box[data-style=error] { --popup-accent: var(--popup-error); }
.box[data-place=top] { border-radius: 0; border-width: 0 0 1px; border-inline-start-width: 6px; }
.box[data-place=bottom] {
    max-width: 40rem; border-end-start-radius: 0; border-end-end-radius: 0; border-bottom-width: 0;
}
.box[data-place=center] { max-width: var(--popup-width); }
.box[data-place=full] {
    flex: 1; border-radius: 0; border-width: 0; display: flex; flex-direction: column; justify-content: safe center;
    align-items: center; text-align: center; font-size: 1.5em;
}
dialog.box[data-place=top] { margin: 0 auto auto; }
dialog.box[data-place=bottom] { margin: auto auto 0; }
dialog.box[data-place=center] { margin: auto; width: min(var(--popup-width), 100vw - 32px); }
dialog.box[data-place=full] { height: 100vh; }
dialog.box:not([open]) { display: none; }
dialog.box::backdrop { background: var(--popup-shade, #0008); }
.box[data-dims] { box-shadow: 0 0 0 200vmax var(--popup-shade); }
.head { display: flex; gap: 10px; align-items: center; }
.sign {
    flex: none; width: 1.5em; height: 1.5em; border-radius: 50%; display: grid; place-items: center; font-weight: 700;
    line-height: 1; background: var(--popup-accent); color: var(--popup-on-accent);
}
.icon { width: 32px; height: 32px; object-fit: contain; }
.title { margin: 0; font-size: 1.125em; line-height: 1.3; }
.text { white-space: pre-line; }
.title:not([hidden]) { margin-block-end: 2px; }
.image { display: block; max-width: 100%; max-height: 60vh; margin-block-start: 8px; }
.note { margin: 8px 0 0; color: var(--popup-soft); }
.foot { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; justify-content: space-between; }
.time { color: var(--popup-soft); font-variant-numeric: tabular-nums; margin-block-start: 8px; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-inline-start: auto; }
[data-actions] .actions { margin-block-start: 12px; }
button {
    min-width: 44px; min-height: 44px; padding: 6px 18px; font: inherit; font-weight: 600; cursor: pointer;
    border: 2px solid var(--popup-accent); border-radius: 8px; background: var(--popup-accent);
    color: var(--popup-on-accent); overflow-wrap: anywhere;
}
button ~ button { background: transparent; color: var(--popup-text); }
button:disabled { opacity: .55; cursor: default; }
:focus-visible { outline: 3px solid var(--popup-focus); outline-offset: 2px; }
.box:focus:not(:focus-visible) { outline: none; }
.bar { position: absolute; inset: auto 0 0 0; height: 4px; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--popup-accent); transform-origin: left; }
:host(:dir(rtl)) .bar i { transform-origin: right; }
:host([data-connection=lost]) .box { border-style: dashed; }
.lost {
    position: fixed; inset: auto auto 8px 8px; padding: 4px 10px; border-radius: 8px; font-size: .8125em;
    background: var(--popup-back); color: var(--popup-soft); border: 1px solid var(--popup-line);
}
@media (prefers-reduced-motion: no-preference) {
    .box[data-animation=fade] { animation: fade .2s; }
    .box[data-animation=slide] { animation: slide .25s; }
    .box[data-animation=zoom] { animation: zoom .2s; }
}
@media (prefers-reduced-motion: reduce) { .bar { display: none; } }
@keyframes fade { from { opacity: 0; } }
@keyframes slide { from { opacity: 0; transform: translateY(24px); } }
@keyframes zoom { from { opacity: 0; transform: scale(.92); } }
@media (forced-colors: active) {
    .box, button { border-color: CanvasText; }
    .bar i { background: Highlight; forced-color-adjust: none; }
}
`;
