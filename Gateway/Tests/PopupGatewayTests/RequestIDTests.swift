import Testing

@testable import PopupGateway

@Suite("Ids of requests")
struct RequestIDTests {
    @Test("An id that the client gives is kept", arguments: ["a", "7b1e-42", "00-4bf9:x/y.z_1+2=@"])
    func given(id: String) {
        #expect(RequestID(header: id).description == id)
    }

    @Test(
        "Without one, or with one that a line of a log cannot hold, there is a new one",
        arguments: [nil, "", "a b", "a\nb", "a\"b", "é", String(repeating: "a", count: 129)])
    func new(id: String?) {
        let ids = [RequestID(header: id), RequestID(header: id)]
        #expect(ids[0] != ids[1])
        for new in ids {
            #expect(new.description != id && new.description.count == 16)
            #expect(RequestID(header: new.description) == new)
        }
    }
}
