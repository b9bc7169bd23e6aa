import CarillonCore
import Testing

@testable import CarillonSession

struct ServerSessionStateTests {
    private var state = ServerSessionState()

    private mutating func openSession() {
        _ = state.transportReady()
        state.prefaceAccepted()
        state.helloAnswered(isAuthenticated: true)
    }

    @Test mutating func `the handshake leads to an open session`() {
        let ready = [state.transportReady(), state.transportReady()]
        #expect(ready == [true, false])
        state.prefaceAccepted()
        #expect(state.phase == .hello)
        state.helloAnswered(isAuthenticated: false)
        #expect(state.phase == .auth(failures: 0))
        state.keyAccepted()
        #expect(state.phase == .open)
    }

    @Test mutating func `the last wrong key closes`() {
        state.helloAnswered(isAuthenticated: false)
        let isLast = [state.keyRefused(attempts: 2), state.keyRefused(attempts: 2)]
        #expect(isLast == [false, true])
        #expect(state.phase == .closed)
    }

    @Test mutating func `an orderly stop begins once and closes at the end`() {
        openSession()
        let begun = [state.beginDraining(at: 10), state.beginDraining(at: 20)]
        #expect(begun == [true, false])
        #expect(state.drain == .noticed(since: 10))
        state.closeIfNoMoreRequestsCome()
        #expect(state.phase == .open, "requests are still executed")
        state.refuseRequests(since: 10)
        #expect(state.refusesRequests)
        state.closeIfNoMoreRequestsCome()
        #expect(state.phase == .closed)
    }

    @Test mutating func `a stop closes a connection that is not open`() {
        _ = state.beginDraining(at: 10)
        #expect(state.phase == .closed)
    }

    @Test mutating func `the end of the input closes once all is answered`() {
        openSession()
        state.inputClosed()
        #expect(state.phase == .open)
        state.closeIfNoMoreRequestsCome()
        #expect(state.phase == .closed)
    }
}
