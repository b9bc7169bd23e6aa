import CarillonClock
import CarillonCore
import Glibc
import NIOCore

/// Reports the server's state to systemd, by the protocol of sd_notify(3): each report is one datagram to the socket
/// that `NOTIFY_SOCKET` names. Without that variable nothing is sent.
struct SystemdNotifier: Sendable {
    /// A state of the server, as systemd learns it.
    enum ServiceState: Sendable {
        /// The server serves clients.
        case ready
        /// The server reads its files again; `ready` follows.
        case reloading
        /// The server drains and ends.
        case stopping
        /// The server is not stuck.
        case alive
    }

    /// The path of the socket; `@` at its beginning means the zero byte of an abstract socket.
    private let socketPath: String
    /// How long systemd waits for the next `alive`; nil if it does not watch.
    let watchdog: TimeAmount?

    /// Reads the variables that systemd sets; nil without systemd.
    ///
    /// - Parameter environment: the value of a variable; nil if it is not set.
    init?(_ environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        guard let path = environment("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        socketPath = path
        // The variables can be meant for another process of the service.
        let isForUs = environment("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
        let microseconds = environment("WATCHDOG_USEC").flatMap { Int64($0) }
        watchdog = isForUs ? microseconds.flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    static func datagram(of state: ServiceState, uptime: Uptime) -> String {
        switch state {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(uptime.milliseconds * 1_000)"
        case .stopping: "STOPPING=1"
        case .alive: "WATCHDOG=1"
        }
    }

    /// Sends a state. Errors are ignored: a manager that does not listen changes nothing for the clients.
    func notify(_ state: ServiceState) {
        let text = Self.datagram(of: state, uptime: Clock.uptime())
        var address = sockaddr_un()
        let name = Array(socketPath.utf8)
        // One byte stays zero: the end of a path.
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name)
            if name[0] == UInt8(ascii: "@") { path[0] = 0 }
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = sendto(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL), pointer, length)
            }
        }
    }

    /// Sends `alive` twice in the time that systemd allows, as long as every loop answers; nil if systemd does not
    /// watch.
    func watch(_ loops: [any EventLoop]) -> RepeatedTask? {
        guard let watchdog, let first = loops.first else { return nil }
        let interval = TimeAmount.nanoseconds(watchdog.nanoseconds / 2)
        return first.scheduleRepeatedAsyncTask(initialDelay: .zero, delay: interval) { _ in
            EventLoopFuture.andAllSucceed(loops.map { $0.submit {} }, on: first).map { notify(.alive) }
        }
    }
}
