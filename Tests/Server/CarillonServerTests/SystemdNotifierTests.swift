import CarillonCore
import Glibc
import NIOCore
import Testing

@testable import CarillonServer

/// Reading systemd's variables, and reporting to systemd.
struct SystemdNotifierTests {
    private func notifier(_ variables: [String: String]) -> SystemdNotifier? {
        SystemdNotifier { variables[$0] }
    }

    @Test func `a notifier needs the address of a socket`() {
        #expect(notifier([:]) == nil)
        #expect(notifier(["NOTIFY_SOCKET": "", "WATCHDOG_USEC": "1000000"]) == nil)
        #expect(notifier(["NOTIFY_SOCKET": "relative"]) == nil)
        #expect(notifier(["NOTIFY_SOCKET": "/run/systemd/notify"]) != nil)
        #expect(notifier(["NOTIFY_SOCKET": "@abstract"]) != nil)
    }

    @Test func `the watchdog is for this process only`() {
        let socket = ["NOTIFY_SOCKET": "/run/systemd/notify"]
        func watchdog(_ variables: [String: String]) -> TimeAmount? {
            notifier(socket.merging(variables) { $1 })?.watchdog
        }
        #expect(watchdog([:]) == nil)
        #expect(watchdog(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(30))
        #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]) == nil)
        for wrong in ["", "soon", "0", "-5", "99999999999999999999"] {
            #expect(watchdog(["WATCHDOG_USEC": wrong]) == nil)
        }
        // No multiplication overflows.
        #expect(watchdog(["WATCHDOG_USEC": "\(Int64.max)"]) != nil)
    }

    @Test func `each state has its datagram`() {
        let told = [SystemdNotifier.ServiceState.ready, .reloading, .stopping, .alive].map {
            SystemdNotifier.datagram(of: $0, uptime: 1_234)
        }
        #expect(told == ["READY=1", "RELOADING=1\nMONOTONIC_USEC=1234000", "STOPPING=1", "WATCHDOG=1"])
    }

    @Test func `a socket that is not there changes nothing`() throws {
        for path in ["/no/such/socket", "/" + String(repeating: "x", count: 200), "@"] {
            try #require(notifier(["NOTIFY_SOCKET": path])).notify(.ready)
        }
    }
}
