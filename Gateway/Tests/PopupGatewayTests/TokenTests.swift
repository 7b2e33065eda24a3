import PopupAccess
import PopupClient
import Testing

@testable import PopupGateway

@Suite("Tokens")
struct TokenTests {
    @Test(
        "A hash is that of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func hash(text: String, digest: String) {
        #expect(TokenHash(of: text).text == digest)
    }

    private func token(_ may: [Right: [GroupPattern]], maxPriority: Int32? = nil) -> AccessToken {
        AccessToken(
            name: UserName("ci")!, hash: TokenHash(of: "secret"), may: may, maxPriority: maxPriority)
    }

    @Test("A token is found by its secret alone")
    func lookUp() {
        let table = TokenTable([token([.watch: [.every]])])
        #expect(table.token(authorization: "Bearer secret")?.name.text == "ci")
        #expect(table.token(authorization: "bearer secret")?.name.text == "ci")
        for wrong in [nil, "", "secret", "Bearer", "Bearer Secret", "Basic secret"] {
            #expect(table.token(authorization: wrong) == nil)
        }
    }

    @Test("A pattern of a request must be contained in one of the token's")
    func containment() {
        let access = token([.watch: [GroupPattern("build/*")!]]).access
        #expect(access.has(.watch, in: GroupPattern("build/linux")!))
        #expect(access.has(.watch, in: GroupPattern("build/linux/*")!))
        #expect(!access.has(.watch, in: GroupPattern("build")!))
        #expect(!access.has(.watch, in: .every))
        #expect(!access.has(.show, in: GroupPattern("build/linux")!))
    }

    @Test("A higher priority than the token's is denied")
    func priority() {
        let access = token([.show: [.every]], maxPriority: 5).access
        let group = GroupPattern("lobby")!
        #expect(access.denial(of: AccessRequest(.show(priority: 5, exclusive: .none), in: group)) == nil)
        #expect(access.denial(of: AccessRequest(.show(priority: 6, exclusive: .none), in: group)) != nil)
        #expect(access.denial(of: AccessRequest(.show(priority: 0, exclusive: .all), in: group)) != nil)
    }
}
