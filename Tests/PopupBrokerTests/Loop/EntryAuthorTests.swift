@testable import PopupBroker
import Testing

/// The author of the entry that is applied.
@Suite struct EntryAuthorTests {
    @Test func `the name is at the end of the entry, as long as the sender says`() {
        var author = EntryAuthor()
        #expect(author.name == "" && author.sender == .withoutName)
        let sender = BatchEntry.Sender(nameBytes: 6, change: 1)
        author.change(to: sender, Array("a command of zo\u{EB}-\u{E9}".utf8).span.bytes)
        #expect(author.name == "o\u{EB}-\u{E9}" && author.sender == sender)
    }

    @Test func `a sender without a name has none, whatever the entry ends with`() {
        var author = EntryAuthor()
        author.change(to: BatchEntry.Sender(nameBytes: 3, change: 1), Array("by ann".utf8).span.bytes)
        #expect(author.name == "ann")
        author.change(to: .withoutName, Array("by ann".utf8).span.bytes)
        #expect(author.name == "" && author.sender == .withoutName)
    }
}
