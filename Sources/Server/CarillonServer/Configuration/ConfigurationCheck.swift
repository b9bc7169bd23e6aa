import CarillonClock
import CarillonCore
import CarillonTLS
import CarillonTransport
import Glibc
import NIOCore

/// The findings of `carillond check-config`. The check changes nothing and connects to nothing, but it may ask DNS for
/// the addresses to listen on.
package struct ConfigurationCheck: Sendable {
    /// Faults that keep the server from starting or from its work.
    package private(set) var problems: [SettingsError] = []
    /// Remarks that are no faults.
    package private(set) var notes: [SettingsError] = []
    /// The configuration in one line.
    package private(set) var summary = ""

    /// Checks settings, and the files, directories and addresses that they name.
    package init(_ settings: Settings) {
        let deployment = Deployment(settings, problems: &problems)
        checkData(settings.data)
        checkDirectory(of: settings.listen.unixSocket, setting: .listenUnixSocket)
        checkDirectory(of: settings.listen.portFile, setting: .listenPortFile)
        checkDirectory(of: settings.metrics.portFile, setting: .metricsPortFile)
        checkAddress(settings.listen.host, port: settings.listen.port, setting: .listenHost)
        checkAddress(settings.metrics.host, port: settings.metrics.port, setting: .metricsHost)
        for (listener, host, file) in [
            (settings.console, Setting.consoleHost, Setting.consolePortFile),
            (settings.http, Setting.httpHost, Setting.httpPortFile),
        ] where listener.isEnabled {
            checkAddress(listener.host, port: listener.port, setting: host)
            checkDirectory(of: listener.portFile, setting: file)
        }
        checkPorts(of: settings)
        guard let deployment else { return }
        checkCertificates(deployment)
        checkCredentials(deployment)
        func counted(_ number: Int, noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        summary = [
            counted(deployment.apps.apps.count, noun: "app"), counted(deployment.credentials.count, noun: "credential"),
            counted(deployment.principals.count, noun: "principal"),
        ]
        .joined(separator: ", ")
    }

    private mutating func checkData(_ data: Settings.Data) {
        let path = data.path
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                return problems.append(SettingsError("data.path", fault: "\(path) is not a directory"))
            }
            guard access(path, R_OK | W_OK | X_OK) == 0 else {
                return problems.append(SettingsError("data.path", fault: "\(path) cannot be written by this user"))
            }
        } else {
            checkDirectory(of: path, setting: .dataPath)
        }
    }

    private mutating func checkDirectory(of path: String, setting: Setting) {
        guard !path.isEmpty else { return }
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard access(parent, W_OK | X_OK) == 0 else {
            let why = String(cString: strerror(errno))
            return problems.append(SettingsError(setting.name, fault: "\(path) cannot be made in \(parent): \(why)"))
        }
    }

    /// Checks that the address is one of this machine, and that the port is free.
    private mutating func checkAddress(_ host: String, port: Int, setting: Setting) {
        guard !host.isEmpty, (0...65_535).contains(port) else { return }
        // Why try?: the problem that is appended says as much.
        guard let address = try? SocketAddress.makeAddressResolvingHost(host, port: port) else {
            return problems.append(
                SettingsError(setting.name, fault: "\(host) is neither an address nor the name of one"))
        }
        let descriptor = socket(Int32(address.protocol.rawValue), Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var enabled: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &enabled, socklen_t(MemoryLayout<Int32>.size))
        let result = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard result != 0 else { return }
        switch errno {
        case EADDRINUSE:
            notes.append(
                SettingsError(
                    setting.name, fault: "\(host):\(port) is in use, perhaps by a carillond that runs already"))
        case EACCES:
            problems.append(SettingsError(setting.name, fault: "this user may not listen on port \(port)"))
        case EADDRNOTAVAIL:
            problems.append(SettingsError(setting.name, fault: "\(host) is not an address of this machine"))
        default:
            problems.append(SettingsError(setting.name, fault: "\(host):\(port): \(String(cString: strerror(errno)))"))
        }
    }

    /// Checks that no two listeners have the same host and port.
    private mutating func checkPorts(of settings: Settings) {
        var ports: [(setting: Setting, host: String, port: Int)] = [
            (.listenPort, settings.listen.host, settings.listen.port),
            (.metricsPort, settings.metrics.host, settings.metrics.port),
        ]
        if settings.console.isEnabled { ports.append((.consolePort, settings.console.host, settings.console.port)) }
        if settings.http.isEnabled { ports.append((.httpPort, settings.http.host, settings.http.port)) }
        ports.removeAll { $0.host.isEmpty || $0.port == 0 }
        for (index, each) in ports.enumerated() {
            guard let same = ports[..<index].first(where: { $0.host == each.host && $0.port == each.port }) else {
                continue
            }
            problems.append(
                SettingsError(each.setting.name, fault: "is the same as \(same.setting.name); each needs its own"))
        }
    }

    private mutating func checkCertificates(_ deployment: Deployment) {
        let nowSeconds = Int64(Clock.wallTime().milliseconds / 1_000)
        for (name, certificate) in deployment.certificates {
            guard let endSeconds = certificate.notAfterSeconds else { continue }
            let days = (endSeconds - nowSeconds) / 86_400
            if endSeconds <= nowSeconds {
                problems.append(SettingsError(name, fault: "the certificate has expired"))
            } else if days < 30 {
                notes.append(SettingsError(name, fault: "the certificate expires in \(days) days"))
            }
        }
    }

    private mutating func checkCredentials(_ deployment: Deployment) {
        let used = Set(deployment.apps.routes.all.map(\.credential))
        for name in deployment.credentials.keys.sorted() where !used.contains(name) {
            notes.append(SettingsError("\(deployment.settings.appsFile): credential \(name)", fault: "no app uses it"))
        }
        for (name, app) in deployment.apps.apps.sorted(by: { $0.key < $1.key })
        where app.destinations.isEmpty {
            notes.append(
                SettingsError(
                    "\(deployment.settings.appsFile): app \(name)", fault: "has no credential: nothing can be sent"))
        }
    }
}
