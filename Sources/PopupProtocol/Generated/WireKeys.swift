// Made by Scripts/wire_tables.py from Schema/popup_broker.proto: don't edit.
// swift-format-ignore-file

/// The number and the name of each field, by its message.
public enum WireKeys {
    public enum Command {
        @inlinable package static var producer: WireKey { WireKey(tag: 10, name: "producer") }
        @inlinable package static var sequence: WireKey { WireKey(tag: 16, name: "sequence") }
        @inlinable package static var show: WireKey { WireKey(tag: 26, name: "show") }
        @inlinable package static var update: WireKey { WireKey(tag: 34, name: "update") }
        @inlinable package static var dismiss: WireKey { WireKey(tag: 42, name: "dismiss") }
        @inlinable package static var advance: WireKey { WireKey(tag: 50, name: "advance") }
        @inlinable package static var clear: WireKey { WireKey(tag: 58, name: "clear") }
        @inlinable package static var suspend: WireKey { WireKey(tag: 66, name: "suspend") }
        @inlinable package static var resume: WireKey { WireKey(tag: 74, name: "resume") }
        @inlinable package static var setPolicy: WireKey { WireKey(tag: 82, name: "setPolicy") }
        @inlinable package static var setSession: WireKey { WireKey(tag: 90, name: "setSession") }
        @inlinable package static var report: WireKey { WireKey(tag: 98, name: "report") }
        @inlinable package static var answer: WireKey { WireKey(tag: 106, name: "answer") }
        @inlinable package static var lease: WireKey { WireKey(tag: 114, name: "lease") }
        @inlinable package static var page: WireKey { WireKey(tag: 130, name: "page") }
        @inlinable package static var query: WireKey { WireKey(tag: 138, name: "query") }
        @inlinable package static var unsetPolicy: WireKey { WireKey(tag: 146, name: "unsetPolicy") }
        @inlinable package static var by: WireKey { WireKey(tag: 282, name: "by") }
    }
    public enum Batch {
        @inlinable package static var commands: WireKey { WireKey(tag: 122, name: "commands") }
    }
    public enum Popup {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var group: WireKey { WireKey(tag: 18, name: "group") }
        @inlinable package static var priority: WireKey { WireKey(tag: 24, name: "priority") }
        @inlinable package static var durationMs: WireKey { WireKey(tag: 32, name: "durationMs") }
        @inlinable package static var ttlMs: WireKey { WireKey(tag: 40, name: "ttlMs") }
        @inlinable package static var delayMs: WireKey { WireKey(tag: 48, name: "delayMs") }
        @inlinable package static var minDisplayMs: WireKey { WireKey(tag: 56, name: "minDisplayMs") }
        @inlinable package static var exclusive: WireKey { WireKey(tag: 64, name: "exclusive") }
        @inlinable package static var collapseKey: WireKey { WireKey(tag: 74, name: "collapseKey") }
        @inlinable package static var interruptible: WireKey { WireKey(tag: 80, name: "interruptible") }
        @inlinable package static var text: WireKey { WireKey(tag: 90, name: "text") }
        @inlinable package static var data: WireKey { WireKey(tag: 98, name: "data") }
        @inlinable package static var contentType: WireKey { WireKey(tag: 106, name: "contentType") }
        @inlinable package static var actions: WireKey { WireKey(tag: 114, name: "actions") }
        @inlinable package static var presentation: WireKey { WireKey(tag: 122, name: "presentation") }
        @inlinable package static var flow: WireKey { WireKey(tag: 130, name: "flow") }
        @inlinable package static var page: WireKey { WireKey(tag: 138, name: "page") }
        @inlinable package static var session: WireKey { WireKey(tag: 146, name: "session") }
        @inlinable package static var surface: WireKey { WireKey(tag: 154, name: "surface") }
        @inlinable package static var offerMs: WireKey { WireKey(tag: 160, name: "offerMs") }
        @inlinable package static var quorum: WireKey { WireKey(tag: 168, name: "quorum") }
        @inlinable package static var quorumAll: WireKey { WireKey(tag: 176, name: "quorumAll") }
        @inlinable package static var capKey: WireKey { WireKey(tag: 186, name: "capKey") }
        @inlinable package static var language: WireKey { WireKey(tag: 194, name: "language") }
        @inlinable package static var remainingMs: WireKey { WireKey(tag: 256, name: "remainingMs") }
        @inlinable package static var attempt: WireKey { WireKey(tag: 264, name: "attempt") }
        @inlinable package static var sinceRevision: WireKey { WireKey(tag: 272, name: "sinceRevision") }
        @inlinable package static var by: WireKey { WireKey(tag: 282, name: "by") }
    }
    public enum Action {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var label: WireKey { WireKey(tag: 18, name: "label") }
    }
    public enum Presentation {
        @inlinable package static var scene: WireKey { WireKey(tag: 8, name: "scene") }
        @inlinable package static var animation: WireKey { WireKey(tag: 16, name: "animation") }
        @inlinable package static var dismissOnOutside: WireKey { WireKey(tag: 24, name: "dismissOnOutside") }
        @inlinable package static var countdown: WireKey { WireKey(tag: 32, name: "countdown") }
        @inlinable package static var backdrop: WireKey { WireKey(tag: 40, name: "backdrop") }
        @inlinable package static var cornerRadius: WireKey { WireKey(tag: 48, name: "cornerRadius") }
        @inlinable package static var title: WireKey { WireKey(tag: 58, name: "title") }
        @inlinable package static var icon: WireKey { WireKey(tag: 66, name: "icon") }
        @inlinable package static var style: WireKey { WireKey(tag: 74, name: "style") }
    }
    public enum Flow {
        @inlinable package static var key: WireKey { WireKey(tag: 10, name: "key") }
        @inlinable package static var stage: WireKey { WireKey(tag: 16, name: "stage") }
        @inlinable package static var requires: WireKey { WireKey(tag: 26, name: "requires") }
        @inlinable package static var holdMs: WireKey { WireKey(tag: 32, name: "holdMs") }
    }
    public enum Requirement {
        @inlinable package static var popup: WireKey { WireKey(tag: 10, name: "popup") }
        @inlinable package static var action: WireKey { WireKey(tag: 18, name: "action") }
    }
    public enum PageBinding {
        @inlinable package static var tree: WireKey { WireKey(tag: 10, name: "tree") }
        @inlinable package static var value: WireKey { WireKey(tag: 18, name: "value") }
        @inlinable package static var scope: WireKey { WireKey(tag: 24, name: "scope") }
    }
    public enum Update {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var priority: WireKey { WireKey(tag: 16, name: "priority") }
        @inlinable package static var durationMs: WireKey { WireKey(tag: 24, name: "durationMs") }
        @inlinable package static var restartTimer: WireKey { WireKey(tag: 32, name: "restartTimer") }
        @inlinable package static var text: WireKey { WireKey(tag: 42, name: "text") }
        @inlinable package static var data: WireKey { WireKey(tag: 50, name: "data") }
        @inlinable package static var contentType: WireKey { WireKey(tag: 58, name: "contentType") }
        @inlinable package static var actions: WireKey { WireKey(tag: 66, name: "actions") }
        @inlinable package static var presentation: WireKey { WireKey(tag: 74, name: "presentation") }
        @inlinable package static var interruptible: WireKey { WireKey(tag: 80, name: "interruptible") }
        @inlinable package static var group: WireKey { WireKey(tag: 90, name: "group") }
    }
    public enum Dismiss {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var action: WireKey { WireKey(tag: 18, name: "action") }
        @inlinable package static var revision: WireKey { WireKey(tag: 24, name: "revision") }
        @inlinable package static var client: WireKey { WireKey(tag: 34, name: "client") }
        @inlinable package static var group: WireKey { WireKey(tag: 42, name: "group") }
    }
    public enum Advance {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
    }
    public enum Selector {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var surface: WireKey { WireKey(tag: 18, name: "surface") }
        @inlinable package static var collapseKey: WireKey { WireKey(tag: 26, name: "collapseKey") }
        @inlinable package static var producer: WireKey { WireKey(tag: 34, name: "producer") }
        @inlinable package static var priorityBelow: WireKey { WireKey(tag: 40, name: "priorityBelow") }
        @inlinable package static var priorityAbove: WireKey { WireKey(tag: 48, name: "priorityAbove") }
        @inlinable package static var active: WireKey { WireKey(tag: 56, name: "active") }
        @inlinable package static var waiting: WireKey { WireKey(tag: 64, name: "waiting") }
        @inlinable package static var paused: WireKey { WireKey(tag: 72, name: "paused") }
    }
    public enum Clear {
        @inlinable package static var selector: WireKey { WireKey(tag: 10, name: "selector") }
    }
    public enum Suspend {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var token: WireKey { WireKey(tag: 18, name: "token") }
        @inlinable package static var minPriority: WireKey { WireKey(tag: 24, name: "minPriority") }
    }
    public enum Resume {
        @inlinable package static var token: WireKey { WireKey(tag: 10, name: "token") }
    }
    public enum SetPolicy {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var preset: WireKey { WireKey(tag: 16, name: "preset") }
        @inlinable package static var higher: WireKey { WireKey(tag: 24, name: "higher") }
        @inlinable package static var peers: WireKey { WireKey(tag: 32, name: "peers") }
        @inlinable package static var lower: WireKey { WireKey(tag: 40, name: "lower") }
        @inlinable package static var ignorePriority: WireKey { WireKey(tag: 48, name: "ignorePriority") }
        @inlinable package static var resume: WireKey { WireKey(tag: 56, name: "resume") }
        @inlinable package static var gapMs: WireKey { WireKey(tag: 64, name: "gapMs") }
        @inlinable package static var gapMinMs: WireKey { WireKey(tag: 72, name: "gapMinMs") }
        @inlinable package static var gapMaxMs: WireKey { WireKey(tag: 80, name: "gapMaxMs") }
        @inlinable package static var gatherMs: WireKey { WireKey(tag: 88, name: "gatherMs") }
        @inlinable package static var defaultDurationMs: WireKey { WireKey(tag: 96, name: "defaultDurationMs") }
        @inlinable package static var maxDurationMs: WireKey { WireKey(tag: 104, name: "maxDurationMs") }
        @inlinable package static var clock: WireKey { WireKey(tag: 112, name: "clock") }
        @inlinable package static var offerMs: WireKey { WireKey(tag: 120, name: "offerMs") }
        @inlinable package static var offerDefault: WireKey { WireKey(tag: 128, name: "offerDefault") }
        @inlinable package static var retryMs: WireKey { WireKey(tag: 136, name: "retryMs") }
        @inlinable package static var displayTimeoutMs: WireKey { WireKey(tag: 144, name: "displayTimeoutMs") }
        @inlinable package static var undisplayed: WireKey { WireKey(tag: 152, name: "undisplayed") }
        @inlinable package static var rendererLost: WireKey { WireKey(tag: 160, name: "rendererLost") }
        @inlinable package static var maxAttempts: WireKey { WireKey(tag: 168, name: "maxAttempts") }
        @inlinable package static var quorum: WireKey { WireKey(tag: 176, name: "quorum") }
        @inlinable package static var caps: WireKey { WireKey(tag: 186, name: "caps") }
        @inlinable package static var quiet: WireKey { WireKey(tag: 194, name: "quiet") }
        @inlinable package static var maxWaiting: WireKey { WireKey(tag: 200, name: "maxWaiting") }
        @inlinable package static var overflow: WireKey { WireKey(tag: 208, name: "overflow") }
        @inlinable package static var agingMs: WireKey { WireKey(tag: 216, name: "agingMs") }
        @inlinable package static var pageTree: WireKey { WireKey(tag: 226, name: "pageTree") }
        @inlinable package static var quorumAll: WireKey { WireKey(tag: 232, name: "quorumAll") }
    }
    public enum UnsetPolicy {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
    }
    public enum Cap {
        @inlinable package static var capKey: WireKey { WireKey(tag: 10, name: "capKey") }
        @inlinable package static var most: WireKey { WireKey(tag: 16, name: "most") }
        @inlinable package static var perMs: WireKey { WireKey(tag: 24, name: "perMs") }
    }
    public enum QuietWindow {
        @inlinable package static var from: WireKey { WireKey(tag: 10, name: "from") }
        @inlinable package static var to: WireKey { WireKey(tag: 18, name: "to") }
        @inlinable package static var timeZone: WireKey { WireKey(tag: 26, name: "timeZone") }
        @inlinable package static var minPriority: WireKey { WireKey(tag: 32, name: "minPriority") }
    }
    public enum SetSession {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var session: WireKey { WireKey(tag: 18, name: "session") }
    }
    public enum Report {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var client: WireKey { WireKey(tag: 18, name: "client") }
        @inlinable package static var displayed: WireKey { WireKey(tag: 26, name: "displayed") }
        @inlinable package static var visible: WireKey { WireKey(tag: 34, name: "visible") }
        @inlinable package static var hidden: WireKey { WireKey(tag: 42, name: "hidden") }
        @inlinable package static var group: WireKey { WireKey(tag: 50, name: "group") }
    }
    public enum Answer {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var client: WireKey { WireKey(tag: 18, name: "client") }
        @inlinable package static var accept: WireKey { WireKey(tag: 26, name: "accept") }
        @inlinable package static var veto: WireKey { WireKey(tag: 34, name: "veto") }
        @inlinable package static var later: WireKey { WireKey(tag: 42, name: "later") }
        @inlinable package static var group: WireKey { WireKey(tag: 50, name: "group") }
    }
    public enum Later {
        @inlinable package static var retryMs: WireKey { WireKey(tag: 8, name: "retryMs") }
    }
    public enum Lease {
        @inlinable package static var client: WireKey { WireKey(tag: 10, name: "client") }
        @inlinable package static var groups: WireKey { WireKey(tag: 18, name: "groups") }
    }
    public enum Page {
        @inlinable package static var tree: WireKey { WireKey(tag: 10, name: "tree") }
        @inlinable package static var open: WireKey { WireKey(tag: 18, name: "open") }
        @inlinable package static var enter: WireKey { WireKey(tag: 26, name: "enter") }
        @inlinable package static var close: WireKey { WireKey(tag: 34, name: "close") }
        @inlinable package static var clear: WireKey { WireKey(tag: 42, name: "clear") }
    }
    public enum OpenPage {
        @inlinable package static var node: WireKey { WireKey(tag: 10, name: "node") }
        @inlinable package static var parent: WireKey { WireKey(tag: 18, name: "parent") }
        @inlinable package static var value: WireKey { WireKey(tag: 26, name: "value") }
    }
    public enum PageNode {
        @inlinable package static var node: WireKey { WireKey(tag: 10, name: "node") }
    }
    public enum Query {
        @inlinable package static var client: WireKey { WireKey(tag: 10, name: "client") }
        @inlinable package static var nonce: WireKey { WireKey(tag: 18, name: "nonce") }
        @inlinable package static var list: WireKey { WireKey(tag: 26, name: "list") }
        @inlinable package static var count: WireKey { WireKey(tag: 34, name: "count") }
        @inlinable package static var peek: WireKey { WireKey(tag: 42, name: "peek") }
        @inlinable package static var explain: WireKey { WireKey(tag: 50, name: "explain") }
        @inlinable package static var path: WireKey { WireKey(tag: 58, name: "path") }
        @inlinable package static var stats: WireKey { WireKey(tag: 66, name: "stats") }
        @inlinable package static var whoami: WireKey { WireKey(tag: 74, name: "whoami") }
        @inlinable package static var policies: WireKey { WireKey(tag: 82, name: "policies") }
        @inlinable package static var history: WireKey { WireKey(tag: 90, name: "history") }
        @inlinable package static var groups: WireKey { WireKey(tag: 98, name: "groups") }
        @inlinable package static var suspensions: WireKey { WireKey(tag: 106, name: "suspensions") }
        @inlinable package static var renderers: WireKey { WireKey(tag: 114, name: "renderers") }
        @inlinable package static var producers: WireKey { WireKey(tag: 122, name: "producers") }
    }
    public enum ListQuery {
        @inlinable package static var selector: WireKey { WireKey(tag: 10, name: "selector") }
    }
    public enum CountQuery {
        @inlinable package static var selector: WireKey { WireKey(tag: 10, name: "selector") }
    }
    public enum PeekQuery {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
    }
    public enum ExplainQuery {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
    }
    public enum PathQuery {
        @inlinable package static var tree: WireKey { WireKey(tag: 10, name: "tree") }
        @inlinable package static var node: WireKey { WireKey(tag: 18, name: "node") }
        @inlinable package static var except: WireKey { WireKey(tag: 26, name: "except") }
        @inlinable package static var separator: WireKey { WireKey(tag: 34, name: "separator") }
    }
    public enum PoliciesQuery {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var after: WireKey { WireKey(tag: 18, name: "after") }
    }
    public enum HistoryQuery {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var limit: WireKey { WireKey(tag: 16, name: "limit") }
    }
    public enum GroupsQuery {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var after: WireKey { WireKey(tag: 18, name: "after") }
    }
    public enum SuspensionsQuery {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var after: WireKey { WireKey(tag: 18, name: "after") }
    }
    public enum RenderersQuery {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var after: WireKey { WireKey(tag: 18, name: "after") }
    }
    public enum ProducersQuery {
        @inlinable package static var producer: WireKey { WireKey(tag: 10, name: "producer") }
        @inlinable package static var after: WireKey { WireKey(tag: 18, name: "after") }
        @inlinable package static var limit: WireKey { WireKey(tag: 24, name: "limit") }
    }
    public enum GroupState {
        @inlinable package static var epoch: WireKey { WireKey(tag: 8, name: "epoch") }
        @inlinable package static var group: WireKey { WireKey(tag: 18, name: "group") }
        @inlinable package static var revision: WireKey { WireKey(tag: 24, name: "revision") }
        @inlinable package static var active: WireKey { WireKey(tag: 34, name: "active") }
        @inlinable package static var waiting: WireKey { WireKey(tag: 40, name: "waiting") }
        @inlinable package static var cause: WireKey { WireKey(tag: 50, name: "cause") }
        @inlinable package static var offered: WireKey { WireKey(tag: 56, name: "offered") }
        @inlinable package static var paused: WireKey { WireKey(tag: 64, name: "paused") }
    }
    public enum Cause {
        @inlinable package static var kind: WireKey { WireKey(tag: 8, name: "kind") }
        @inlinable package static var popup: WireKey { WireKey(tag: 18, name: "popup") }
        @inlinable package static var reason: WireKey { WireKey(tag: 24, name: "reason") }
        @inlinable package static var action: WireKey { WireKey(tag: 34, name: "action") }
    }
    public enum Feed {
        @inlinable package static var states: WireKey { WireKey(tag: 10, name: "states") }
    }
    public enum Event {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var popup: WireKey { WireKey(tag: 18, name: "popup") }
        @inlinable package static var revision: WireKey { WireKey(tag: 24, name: "revision") }
        @inlinable package static var time: WireKey { WireKey(tag: 32, name: "time") }
        @inlinable package static var path: WireKey { WireKey(tag: 42, name: "path") }
        @inlinable package static var queued: WireKey { WireKey(tag: 50, name: "queued") }
        @inlinable package static var offered: WireKey { WireKey(tag: 58, name: "offered") }
        @inlinable package static var shown: WireKey { WireKey(tag: 66, name: "shown") }
        @inlinable package static var paused: WireKey { WireKey(tag: 74, name: "paused") }
        @inlinable package static var resumed: WireKey { WireKey(tag: 82, name: "resumed") }
        @inlinable package static var updated: WireKey { WireKey(tag: 90, name: "updated") }
        @inlinable package static var closed: WireKey { WireKey(tag: 98, name: "closed") }
        @inlinable package static var refused: WireKey { WireKey(tag: 106, name: "refused") }
        @inlinable package static var by: WireKey { WireKey(tag: 114, name: "by") }
        @inlinable package static var epoch: WireKey { WireKey(tag: 120, name: "epoch") }
    }
    public enum Shown {
        @inlinable package static var attempt: WireKey { WireKey(tag: 8, name: "attempt") }
    }
    public enum Closed {
        @inlinable package static var reason: WireKey { WireKey(tag: 8, name: "reason") }
        @inlinable package static var action: WireKey { WireKey(tag: 18, name: "action") }
        @inlinable package static var displayedMs: WireKey { WireKey(tag: 24, name: "displayedMs") }
    }
    public enum Refused {
        @inlinable package static var reason: WireKey { WireKey(tag: 8, name: "reason") }
        @inlinable package static var detail: WireKey { WireKey(tag: 18, name: "detail") }
    }
    public enum Heartbeat {
        @inlinable package static var epoch: WireKey { WireKey(tag: 8, name: "epoch") }
        @inlinable package static var groups: WireKey { WireKey(tag: 18, name: "groups") }
    }
    public enum GroupRevision {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var revision: WireKey { WireKey(tag: 16, name: "revision") }
    }
    public enum Ack {
        @inlinable package static var epoch: WireKey { WireKey(tag: 8, name: "epoch") }
        @inlinable package static var cumulative: WireKey { WireKey(tag: 16, name: "cumulative") }
        @inlinable package static var selective: WireKey { WireKey(tag: 26, name: "selective") }
        @inlinable package static var refusals: WireKey { WireKey(tag: 34, name: "refusals") }
    }
    public enum Refusal {
        @inlinable package static var sequence: WireKey { WireKey(tag: 8, name: "sequence") }
        @inlinable package static var reason: WireKey { WireKey(tag: 16, name: "reason") }
        @inlinable package static var retryAfterMs: WireKey { WireKey(tag: 24, name: "retryAfterMs") }
        @inlinable package static var detail: WireKey { WireKey(tag: 34, name: "detail") }
    }
    public enum Sync {
        @inlinable package static var states: WireKey { WireKey(tag: 10, name: "states") }
        @inlinable package static var end: WireKey { WireKey(tag: 18, name: "end") }
    }
    public enum SyncEnd {
        @inlinable package static var epoch: WireKey { WireKey(tag: 8, name: "epoch") }
        @inlinable package static var states: WireKey { WireKey(tag: 16, name: "states") }
    }
    public enum Reply {
        @inlinable package static var client: WireKey { WireKey(tag: 10, name: "client") }
        @inlinable package static var nonce: WireKey { WireKey(tag: 18, name: "nonce") }
        @inlinable package static var reply: WireKey { WireKey(tag: 26, name: "reply") }
        @inlinable package static var epoch: WireKey { WireKey(tag: 32, name: "epoch") }
    }
    public enum Result {
        @inlinable package static var list: WireKey { WireKey(tag: 10, name: "list") }
        @inlinable package static var count: WireKey { WireKey(tag: 18, name: "count") }
        @inlinable package static var peek: WireKey { WireKey(tag: 26, name: "peek") }
        @inlinable package static var explain: WireKey { WireKey(tag: 34, name: "explain") }
        @inlinable package static var path: WireKey { WireKey(tag: 42, name: "path") }
        @inlinable package static var stats: WireKey { WireKey(tag: 50, name: "stats") }
        @inlinable package static var refused: WireKey { WireKey(tag: 58, name: "refused") }
        @inlinable package static var whoami: WireKey { WireKey(tag: 66, name: "whoami") }
        @inlinable package static var policies: WireKey { WireKey(tag: 74, name: "policies") }
        @inlinable package static var history: WireKey { WireKey(tag: 82, name: "history") }
        @inlinable package static var groups: WireKey { WireKey(tag: 90, name: "groups") }
        @inlinable package static var suspensions: WireKey { WireKey(tag: 98, name: "suspensions") }
        @inlinable package static var renderers: WireKey { WireKey(tag: 106, name: "renderers") }
        @inlinable package static var producers: WireKey { WireKey(tag: 114, name: "producers") }
    }
    public enum PopupSummary {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var group: WireKey { WireKey(tag: 18, name: "group") }
        @inlinable package static var priority: WireKey { WireKey(tag: 24, name: "priority") }
        @inlinable package static var phase: WireKey { WireKey(tag: 32, name: "phase") }
        @inlinable package static var surface: WireKey { WireKey(tag: 42, name: "surface") }
        @inlinable package static var collapseKey: WireKey { WireKey(tag: 50, name: "collapseKey") }
        @inlinable package static var producer: WireKey { WireKey(tag: 58, name: "producer") }
        @inlinable package static var attempt: WireKey { WireKey(tag: 64, name: "attempt") }
        @inlinable package static var remainingMs: WireKey { WireKey(tag: 72, name: "remainingMs") }
        @inlinable package static var delayMs: WireKey { WireKey(tag: 80, name: "delayMs") }
        @inlinable package static var by: WireKey { WireKey(tag: 90, name: "by") }
        @inlinable package static var title: WireKey { WireKey(tag: 98, name: "title") }
        @inlinable package static var excerpt: WireKey { WireKey(tag: 106, name: "excerpt") }
        @inlinable package static var expiresMs: WireKey { WireKey(tag: 112, name: "expiresMs") }
    }
    public enum ListResult {
        @inlinable package static var popups: WireKey { WireKey(tag: 10, name: "popups") }
        @inlinable package static var truncated: WireKey { WireKey(tag: 16, name: "truncated") }
    }
    public enum CountResult {
        @inlinable package static var popups: WireKey { WireKey(tag: 8, name: "popups") }
    }
    public enum PeekResult {
        @inlinable package static var popups: WireKey { WireKey(tag: 10, name: "popups") }
        @inlinable package static var truncated: WireKey { WireKey(tag: 16, name: "truncated") }
    }
    public enum ExplainResult {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var phase: WireKey { WireKey(tag: 16, name: "phase") }
        @inlinable package static var rule: WireKey { WireKey(tag: 26, name: "rule") }
        @inlinable package static var blockers: WireKey { WireKey(tag: 34, name: "blockers") }
        @inlinable package static var text: WireKey { WireKey(tag: 42, name: "text") }
        @inlinable package static var closed: WireKey { WireKey(tag: 50, name: "closed") }
        @inlinable package static var group: WireKey { WireKey(tag: 58, name: "group") }
        @inlinable package static var by: WireKey { WireKey(tag: 66, name: "by") }
        @inlinable package static var closedAt: WireKey { WireKey(tag: 72, name: "closedAt") }
        @inlinable package static var remainingMs: WireKey { WireKey(tag: 80, name: "remainingMs") }
        @inlinable package static var ahead: WireKey { WireKey(tag: 88, name: "ahead") }
        @inlinable package static var requirement: WireKey { WireKey(tag: 98, name: "requirement") }
        @inlinable package static var cap: WireKey { WireKey(tag: 106, name: "cap") }
        @inlinable package static var page: WireKey { WireKey(tag: 114, name: "page") }
        @inlinable package static var session: WireKey { WireKey(tag: 122, name: "session") }
        @inlinable package static var rules: WireKey { WireKey(tag: 130, name: "rules") }
        @inlinable package static var user: WireKey { WireKey(tag: 138, name: "user") }
        @inlinable package static var title: WireKey { WireKey(tag: 146, name: "title") }
        @inlinable package static var excerpt: WireKey { WireKey(tag: 154, name: "excerpt") }
        @inlinable package static var expiresMs: WireKey { WireKey(tag: 160, name: "expiresMs") }
    }
    public enum HoldingRule {
        @inlinable package static var rule: WireKey { WireKey(tag: 10, name: "rule") }
        @inlinable package static var blockers: WireKey { WireKey(tag: 18, name: "blockers") }
        @inlinable package static var text: WireKey { WireKey(tag: 26, name: "text") }
        @inlinable package static var remainingMs: WireKey { WireKey(tag: 32, name: "remainingMs") }
        @inlinable package static var ahead: WireKey { WireKey(tag: 40, name: "ahead") }
        @inlinable package static var requirement: WireKey { WireKey(tag: 50, name: "requirement") }
        @inlinable package static var cap: WireKey { WireKey(tag: 58, name: "cap") }
        @inlinable package static var page: WireKey { WireKey(tag: 66, name: "page") }
        @inlinable package static var session: WireKey { WireKey(tag: 74, name: "session") }
    }
    public enum PathResult {
        @inlinable package static var values: WireKey { WireKey(tag: 10, name: "values") }
        @inlinable package static var joined: WireKey { WireKey(tag: 18, name: "joined") }
    }
    public enum StatsResult {
        @inlinable package static var epoch: WireKey { WireKey(tag: 8, name: "epoch") }
        @inlinable package static var `protocol`: WireKey { WireKey(tag: 16, name: "protocol") }
        @inlinable package static var version: WireKey { WireKey(tag: 26, name: "version") }
        @inlinable package static var uptimeMs: WireKey { WireKey(tag: 32, name: "uptimeMs") }
        @inlinable package static var groups: WireKey { WireKey(tag: 40, name: "groups") }
        @inlinable package static var popups: WireKey { WireKey(tag: 48, name: "popups") }
        @inlinable package static var remembered: WireKey { WireKey(tag: 56, name: "remembered") }
        @inlinable package static var commands: WireKey { WireKey(tag: 64, name: "commands") }
        @inlinable package static var refused: WireKey { WireKey(tag: 72, name: "refused") }
        @inlinable package static var events: WireKey { WireKey(tag: 80, name: "events") }
        @inlinable package static var batches: WireKey { WireKey(tag: 88, name: "batches") }
        @inlinable package static var subscriptions: WireKey { WireKey(tag: 96, name: "subscriptions") }
        @inlinable package static var producers: WireKey { WireKey(tag: 104, name: "producers") }
        @inlinable package static var repetitions: WireKey { WireKey(tag: 112, name: "repetitions") }
        @inlinable package static var sequencesReused: WireKey { WireKey(tag: 120, name: "sequencesReused") }
        @inlinable package static var connectionsCut: WireKey { WireKey(tag: 128, name: "connectionsCut") }
        @inlinable package static var rememberedWindowMs: WireKey { WireKey(tag: 136, name: "rememberedWindowMs") }
        @inlinable package static var turns: WireKey { WireKey(tag: 146, name: "turns") }
        @inlinable package static var lateReports: WireKey { WireKey(tag: 152, name: "lateReports") }
        @inlinable package static var journalFindings: WireKey { WireKey(tag: 160, name: "journalFindings") }
        @inlinable package static var denied: WireKey { WireKey(tag: 170, name: "denied") }
        @inlinable package static var waiting: WireKey { WireKey(tag: 176, name: "waiting") }
        @inlinable package static var paused: WireKey { WireKey(tag: 184, name: "paused") }
        @inlinable package static var renderers: WireKey { WireKey(tag: 192, name: "renderers") }
        @inlinable package static var commandsByKind: WireKey { WireKey(tag: 202, name: "commandsByKind") }
        @inlinable package static var eventsByKind: WireKey { WireKey(tag: 210, name: "eventsByKind") }
        @inlinable package static var closed: WireKey { WireKey(tag: 218, name: "closed") }
        @inlinable package static var refusedByReason: WireKey { WireKey(tag: 226, name: "refusedByReason") }
        @inlinable package static var commitTimes: WireKey { WireKey(tag: 234, name: "commitTimes") }
        @inlinable package static var waitingTimes: WireKey { WireKey(tag: 242, name: "waitingTimes") }
        @inlinable package static var timerLateness: WireKey { WireKey(tag: 250, name: "timerLateness") }
        @inlinable package static var limits: WireKey { WireKey(tag: 258, name: "limits") }
        @inlinable package static var journalBytes: WireKey { WireKey(tag: 264, name: "journalBytes") }
        @inlinable package static var snapshots: WireKey { WireKey(tag: 272, name: "snapshots") }
        @inlinable package static var lastSnapshotAt: WireKey { WireKey(tag: 280, name: "lastSnapshotAt") }
        @inlinable package static var slowSubscribers: WireKey { WireKey(tag: 288, name: "slowSubscribers") }
    }
    public enum CommandCount {
        @inlinable package static var kind: WireKey { WireKey(tag: 10, name: "kind") }
        @inlinable package static var count: WireKey { WireKey(tag: 16, name: "count") }
    }
    public enum EventCount {
        @inlinable package static var kind: WireKey { WireKey(tag: 10, name: "kind") }
        @inlinable package static var count: WireKey { WireKey(tag: 16, name: "count") }
    }
    public enum ClosedCount {
        @inlinable package static var reason: WireKey { WireKey(tag: 8, name: "reason") }
        @inlinable package static var count: WireKey { WireKey(tag: 16, name: "count") }
    }
    public enum RefusedCount {
        @inlinable package static var reason: WireKey { WireKey(tag: 8, name: "reason") }
        @inlinable package static var count: WireKey { WireKey(tag: 16, name: "count") }
    }
    public enum Histogram {
        @inlinable package static var buckets: WireKey { WireKey(tag: 10, name: "buckets") }
        @inlinable package static var count: WireKey { WireKey(tag: 16, name: "count") }
        @inlinable package static var sumUs: WireKey { WireKey(tag: 24, name: "sumUs") }
    }
    public enum HistogramBucket {
        @inlinable package static var upToUs: WireKey { WireKey(tag: 8, name: "upToUs") }
        @inlinable package static var count: WireKey { WireKey(tag: 16, name: "count") }
    }
    public enum LimitUse {
        @inlinable package static var limit: WireKey { WireKey(tag: 10, name: "limit") }
        @inlinable package static var used: WireKey { WireKey(tag: 16, name: "used") }
        @inlinable package static var most: WireKey { WireKey(tag: 24, name: "most") }
    }
    public enum DeniedCount {
        @inlinable package static var user: WireKey { WireKey(tag: 10, name: "user") }
        @inlinable package static var right: WireKey { WireKey(tag: 18, name: "right") }
        @inlinable package static var count: WireKey { WireKey(tag: 24, name: "count") }
    }
    public enum TurnTimes {
        @inlinable package static var count: WireKey { WireKey(tag: 8, name: "count") }
        @inlinable package static var medianUs: WireKey { WireKey(tag: 16, name: "medianUs") }
        @inlinable package static var p99Us: WireKey { WireKey(tag: 24, name: "p99Us") }
        @inlinable package static var longestUs: WireKey { WireKey(tag: 32, name: "longestUs") }
        @inlinable package static var long: WireKey { WireKey(tag: 40, name: "long") }
        @inlinable package static var buckets: WireKey { WireKey(tag: 50, name: "buckets") }
        @inlinable package static var sumUs: WireKey { WireKey(tag: 56, name: "sumUs") }
    }
    public enum WhoamiResult {
        @inlinable package static var user: WireKey { WireKey(tag: 10, name: "user") }
        @inlinable package static var unrestricted: WireKey { WireKey(tag: 16, name: "unrestricted") }
        @inlinable package static var grants: WireKey { WireKey(tag: 26, name: "grants") }
        @inlinable package static var denied: WireKey { WireKey(tag: 34, name: "denied") }
    }
    public enum PoliciesResult {
        @inlinable package static var policies: WireKey { WireKey(tag: 10, name: "policies") }
        @inlinable package static var truncated: WireKey { WireKey(tag: 16, name: "truncated") }
    }
    public enum PolicyInForce {
        @inlinable package static var source: WireKey { WireKey(tag: 8, name: "source") }
        @inlinable package static var policy: WireKey { WireKey(tag: 18, name: "policy") }
    }
    public enum HistoryResult {
        @inlinable package static var popups: WireKey { WireKey(tag: 10, name: "popups") }
        @inlinable package static var truncated: WireKey { WireKey(tag: 16, name: "truncated") }
    }
    public enum ClosedPopup {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var group: WireKey { WireKey(tag: 18, name: "group") }
        @inlinable package static var time: WireKey { WireKey(tag: 24, name: "time") }
        @inlinable package static var closed: WireKey { WireKey(tag: 34, name: "closed") }
        @inlinable package static var cause: WireKey { WireKey(tag: 42, name: "cause") }
        @inlinable package static var title: WireKey { WireKey(tag: 50, name: "title") }
        @inlinable package static var excerpt: WireKey { WireKey(tag: 58, name: "excerpt") }
        @inlinable package static var by: WireKey { WireKey(tag: 66, name: "by") }
    }
    public enum GroupsResult {
        @inlinable package static var groups: WireKey { WireKey(tag: 10, name: "groups") }
        @inlinable package static var truncated: WireKey { WireKey(tag: 16, name: "truncated") }
    }
    public enum GroupCounts {
        @inlinable package static var group: WireKey { WireKey(tag: 10, name: "group") }
        @inlinable package static var revision: WireKey { WireKey(tag: 16, name: "revision") }
        @inlinable package static var active: WireKey { WireKey(tag: 26, name: "active") }
        @inlinable package static var offered: WireKey { WireKey(tag: 32, name: "offered") }
        @inlinable package static var waiting: WireKey { WireKey(tag: 40, name: "waiting") }
        @inlinable package static var paused: WireKey { WireKey(tag: 48, name: "paused") }
        @inlinable package static var delayed: WireKey { WireKey(tag: 56, name: "delayed") }
        @inlinable package static var session: WireKey { WireKey(tag: 66, name: "session") }
    }
    public enum SuspensionsResult {
        @inlinable package static var suspensions: WireKey { WireKey(tag: 10, name: "suspensions") }
        @inlinable package static var truncated: WireKey { WireKey(tag: 16, name: "truncated") }
    }
    public enum Suspension {
        @inlinable package static var token: WireKey { WireKey(tag: 10, name: "token") }
        @inlinable package static var group: WireKey { WireKey(tag: 18, name: "group") }
        @inlinable package static var minPriority: WireKey { WireKey(tag: 24, name: "minPriority") }
        @inlinable package static var since: WireKey { WireKey(tag: 32, name: "since") }
        @inlinable package static var by: WireKey { WireKey(tag: 42, name: "by") }
    }
    public enum RenderersResult {
        @inlinable package static var renderers: WireKey { WireKey(tag: 10, name: "renderers") }
        @inlinable package static var truncated: WireKey { WireKey(tag: 16, name: "truncated") }
    }
    public enum Renderer {
        @inlinable package static var client: WireKey { WireKey(tag: 10, name: "client") }
        @inlinable package static var groups: WireKey { WireKey(tag: 18, name: "groups") }
        @inlinable package static var displays: WireKey { WireKey(tag: 26, name: "displays") }
        @inlinable package static var silentMs: WireKey { WireKey(tag: 32, name: "silentMs") }
    }
    public enum DisplayedPopup {
        @inlinable package static var id: WireKey { WireKey(tag: 10, name: "id") }
        @inlinable package static var group: WireKey { WireKey(tag: 18, name: "group") }
        @inlinable package static var visible: WireKey { WireKey(tag: 24, name: "visible") }
    }
    public enum ProducersResult {
        @inlinable package static var producers: WireKey { WireKey(tag: 10, name: "producers") }
        @inlinable package static var truncated: WireKey { WireKey(tag: 16, name: "truncated") }
    }
    public enum ProducerSequences {
        @inlinable package static var producer: WireKey { WireKey(tag: 10, name: "producer") }
        @inlinable package static var cumulative: WireKey { WireKey(tag: 16, name: "cumulative") }
        @inlinable package static var highest: WireKey { WireKey(tag: 24, name: "highest") }
        @inlinable package static var popups: WireKey { WireKey(tag: 32, name: "popups") }
        @inlinable package static var silentMs: WireKey { WireKey(tag: 40, name: "silentMs") }
        @inlinable package static var by: WireKey { WireKey(tag: 50, name: "by") }
    }
    public enum AccessGrant {
        @inlinable package static var groups: WireKey { WireKey(tag: 10, name: "groups") }
        @inlinable package static var rights: WireKey { WireKey(tag: 18, name: "rights") }
        @inlinable package static var maxPriority: WireKey { WireKey(tag: 24, name: "maxPriority") }
        @inlinable package static var exclusive: WireKey { WireKey(tag: 32, name: "exclusive") }
        @inlinable package static var own: WireKey { WireKey(tag: 40, name: "own") }
    }
    public enum DeniedSubscription {
        @inlinable package static var prefix: WireKey { WireKey(tag: 10, name: "prefix") }
        @inlinable package static var detail: WireKey { WireKey(tag: 18, name: "detail") }
    }
}
