import Synchronization

extension OutboxKeeper {
    /// Stores the commands that are to be sent for the first time, and records those that are settled.
    func keepUp(with mailbox: Mailbox) {
        let (settled, producer, entries) = mailbox.state.withLock { state in
            (state.pipeline.takeSettled(), state.pipeline.window.producer, state.pipeline.beginStoring())
        }
        guard !settled.isEmpty || producer != contents.producer || !entries.isEmpty else { return }
        let results: [WaiterResult]
        do throws(ClientError) {
            if !settled.isEmpty { settle(settled) }
            if producer != contents.producer { try startOver(as: producer) }
            let first = entries.isEmpty ? 0 : try store(entries.map(\.body))
            results = mailbox.state.withLock { entries.isEmpty ? [] : $0.pipeline.stored(entries, from: first) }
        } catch {
            results = mailbox.state.withLock { $0.pipeline.failed(error) }
        }
        mailbox.state.withLock { $0.pipeline.storedBytes = contents.openBytes }
        for result in results { result.resume() }
    }
}
