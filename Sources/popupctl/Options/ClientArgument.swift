import ArgumentParser
import PopupClient

/// A renderer's name.
struct ClientArgument: ExpressibleByArgument, Equatable {
    let token: ClientToken

    init?(argument: String) {
        guard let token = ClientToken(argument) else { return nil }
        self.token = token
    }
}
