import CarillonCore
import CarillonWire
import Testing

@testable import CarillonSession

struct ClientSessionStateTests {
    private var state = ClientSessionState()

    @Test mutating func `a key opens the session`() {
        state.prefaceAccepted(isVersionRefused: false)
        #expect(state.phase == .hello)
        state.keySent()
        #expect(state.phase == .auth)
        state.authenticated(as: AuthenticateAnswer(principal: "game", grants: []))
        #expect(state.phase == .open)
        #expect(state.takesRequests)
        #expect(state.authenticateAnswer?.principal == "game")
    }

    @Test mutating func `a session that ends takes no requests`() {
        state.authenticated(as: AuthenticateAnswer(principal: "game", grants: []))
        var finishing = state
        finishing.closingRequested()
        state.drainingBegan()
        #expect([finishing, state].map(\.isEnding) == [true, true])
        #expect([finishing, state].map(\.takesRequests) == [false, false])
        #expect(state.phase == .open, "its requests are still answered")
    }
}
