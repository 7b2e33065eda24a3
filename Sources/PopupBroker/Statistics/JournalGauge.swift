import Dispatch
import PopupJournal
import PopupScheduling
import Synchronization
import SystemCalls

/// The size of the journal's files, which a thread of its own looks up: if calls to the disk hang, the loop continues.
final class JournalGauge: Sendable {
    /// The minimum time in ms between two lookups.
    private static let interval: Milliseconds = 1000
    /// The niceness of the thread: see setpriority(2).
    private static let niceness: Int32 = 10

    private struct State {
        var bytes: Int?
        var isLooking = false
        var next: Milliseconds = .min
        /// It is started by the first lookup.
        var thread: WorkerThread?
    }

    // Of the journal, the thread uses only `storedBytes`, which any thread may read.
    private struct SharedJournal: @unchecked Sendable {
        let journal: any Journal
    }

    private let shared: SharedJournal
    private let state: Mutex<State>
    private let looking = DispatchGroup()

    /// Creates the size of a journal, found on the thread of the caller; `nil` for a journal without files.
    init?(of journal: any Journal) {
        guard let bytes = journal.storedBytes else { return nil }
        shared = SharedJournal(journal: journal)
        state = Mutex(State(bytes: bytes))
    }

    /// The size in bytes that was found last; `nil` if the files could not be listed.
    var bytes: Int? { state.withLock { $0.bytes } }

    /// Begins a lookup, unless one is running or the last one began less than a second ago. Returns at once.
    func refresh(at now: Milliseconds) {
        let thread = state.withLock { state -> WorkerThread? in
            guard !state.isLooking, now >= state.next else { return nil }
            state.next = now + Self.interval
            // Without a thread, the size stays as it was.
            if state.thread == nil { state.thread = try? WorkerThread(niceness: Self.niceness) }
            state.isLooking = state.thread != nil
            return state.thread
        }
        guard let thread else { return }
        looking.enter()
        thread.begin { [self] in
            let bytes = shared.journal.storedBytes
            state.withLock { ($0.bytes, $0.isLooking) = (bytes, false) }
            looking.leave()
        }
    }

    /// Waits for the end of the lookup that is running, if there is one.
    func stop() { looking.wait() }
}
