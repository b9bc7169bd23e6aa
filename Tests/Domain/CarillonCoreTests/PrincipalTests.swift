import CarillonCore
import CarillonTestKit
import Testing

/// The requests that a principal may make by its grants.
struct PrincipalTests {
    static let game = TestApps.game
    static let chat = AppID("com.example.chat")!

    /// A request that needs one of `roles` for `app`, and true if the principal may make it.
    struct Request: CustomTestStringConvertible {
        let app: AppID
        let roles: Roles
        let isAllowed: Bool

        var testDescription: String { "\(roles) of \(app)" }
    }

    @Test(
        arguments: [
            Request(app: game, roles: .register, isAllowed: true),
            Request(app: game, roles: .send, isAllowed: true),
            Request(app: game, roles: .observe, isAllowed: true),
            Request(app: game, roles: .admin, isAllowed: false),
            Request(app: game, roles: [.admin, .send], isAllowed: true),
            Request(app: game, roles: [], isAllowed: false),
            Request(app: chat, roles: .observe, isAllowed: true),
            Request(app: chat, roles: .send, isAllowed: false),
            Request(app: chat, roles: [.register, .send], isAllowed: false),
        ])
    func `a request is allowed if any grant allows it`(_ request: Request) {
        let principal = Principal(
            name: "shop",
            grants: [
                Grant(app: Self.game, roles: .register), Grant(app: Self.game, roles: .send),
                Grant(app: nil, roles: .observe),
            ])
        #expect(principal.mayUse(request.app, as: request.roles) == request.isAllowed)
    }

    @Test func `a principal without a grant may do nothing`() {
        let powerless = Principal(name: "powerless", grants: [])
        #expect(!powerless.mayUse(Self.game, as: [.register, .send, .observe, .admin]))
    }
}
