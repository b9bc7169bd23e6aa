import CarillonCore
import Testing

@testable import CarillonHTTP

/// The sessions of the console, and the times at which they end.
struct SessionTableTests {
    private func session(at now: Uptime) -> SessionTable.Session {
        SessionTable.Session(key: [1], principal: "ada", principalJSON: [], beganAt: now, usedAt: now)
    }

    @Test func `a session ends after half an hour without its user`() {
        var table = SessionTable()
        _ = table.begin(session(at: 0), id: "a")
        let almost = Uptime(milliseconds: SessionTable.idleMilliseconds - 1)
        #expect(table.find("a", at: almost, keepsAlive: true) != nil)
        let later = almost + SessionTable.idleMilliseconds
        #expect(table.find("a", at: later, keepsAlive: true) == nil)
        #expect(table.count == 0)
    }

    @Test func `a poll of a page does not keep a session alive`() {
        var table = SessionTable()
        _ = table.begin(session(at: 0), id: "a")
        let almost = Uptime(milliseconds: SessionTable.idleMilliseconds - 1)
        #expect(table.find("a", at: almost, keepsAlive: false) != nil)
        #expect(table.find("a", at: almost + 1, keepsAlive: false) == nil)
    }

    @Test func `a session ends after twelve hours in any case`() {
        var table = SessionTable()
        _ = table.begin(session(at: 0), id: "a")
        var now: Uptime = 0
        while now.milliseconds < SessionTable.maximumAgeMilliseconds - 60_000 {
            now += 60_000
            #expect(table.find("a", at: now, keepsAlive: true) != nil)
        }
        #expect(table.find("a", at: now + 60_000, keepsAlive: true) == nil)
    }

    @Test func `a new session ends the least recently used one`() {
        var table = SessionTable()
        for number in 0..<SessionTable.maximumSessions {
            #expect(table.begin(session(at: Uptime(milliseconds: UInt64(number))), id: "\(number)").isEmpty)
        }
        let now: Uptime = 1_000
        _ = table.find("0", at: now, keepsAlive: true)
        #expect(table.begin(session(at: now), id: "new") == ["1"])
        #expect(table.count == SessionTable.maximumSessions)
        #expect(table.find("0", at: now, keepsAlive: true) != nil)
    }

    @Test func `an expired session is reported once`() {
        var table = SessionTable()
        _ = table.begin(session(at: 0), id: "a")
        let later = Uptime(milliseconds: SessionTable.idleMilliseconds)
        #expect(table.removeExpired(at: later) == ["a"])
        #expect(table.removeExpired(at: later).isEmpty)
        #expect(table.end("a") == nil)
    }
}
