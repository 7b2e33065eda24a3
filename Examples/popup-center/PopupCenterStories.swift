/// An application without a broker, which shows story by story what its own popup queue decides.
@main
struct PopupCenterStories {
    static func main() async throws {
        try await Stories.banners()
        try await Stories.sheets()
        try await Stories.priorities()
        try await Stories.video()
        try await Stories.gate()
        try await Stories.flow()
        try await Stories.pages()
    }
}
