public import PopupBroker
public import PopupJournal

/// A journal that other processes can take over: what a node of a fleet gives its broker in the place of a data directory.
public struct SharedJournal {
    /// The journal.
    public var journal: any Journal
    /// The right to publish.
    public var tenure: any Tenure
    /// The clock, which says the time of the journal.
    public var clock: any BrokerClock

    /// Creates a journal with the right to publish what it determines.
    public init(journal: any Journal, tenure: any Tenure, clock: any BrokerClock) {
        self.journal = journal
        self.tenure = tenure
        self.clock = clock
    }
}
