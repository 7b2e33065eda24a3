import { createElement, useEffect, useRef } from "react";

/**
 * A component that shows the popups of groups, by the element <popup-screen>. `onAction({ id, group, action, isDone })` is
 * called when the user has chosen an action, `onConnection("open" | "connecting" | "lost" | "denied")` when the connection
 * changes. All other properties are attributes of the element.
 */
export function PopupScreen({ onAction, onConnection, ...attributes }) {
    const element = useRef(null);
    useEffect(() => listen(element.current, "popup-action", onAction), [onAction]);
    useEffect(() => listen(element.current, "popup-connection", ({ connection }) => onConnection?.(connection)), [onConnection]);
    return createElement("popup-screen", { ref: element, ...attributes });
}

/** Calls a function with the detail of each event. Returns what ends this. */
function listen(target, name, call) {
    const listener = event => call?.(event.detail);
    target.addEventListener(name, listener);
    return () => target.removeEventListener(name, listener);
}
