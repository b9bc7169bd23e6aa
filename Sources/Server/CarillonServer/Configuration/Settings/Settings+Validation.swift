import CarillonCluster
import CarillonProvider
import CarillonWebPush
import Logging
import NIOCore

/// Checks of settings that open nothing.
extension Settings {
    /// The faults that are known without opening anything: each keeps the server from its work.
    package var problems: [SettingsError] {
        outOfBounds + contradictions
    }

    private var outOfBounds: [SettingsError] {
        Setting.all.compactMap { setting in
            guard case .number(_, let range) = setting.value, let value = inForce[setting.name].flatMap({ Int($0) }),
                !range.contains(value)
            else { return nil }
            return SettingsError(
                setting.name, fault: "is \(value); it must be \(range.lowerBound) to \(range.upperBound)")
        }
    }

    private var contradictions: [SettingsError] {
        logProblems + listenProblems + clusterProblems + connectionProblems + webPushProblems + httpProblems
    }

    private var logProblems: [SettingsError] {
        [
            Self.unknownWord(logLevel, of: .logLevel, known: Logger.Level.allCases.map(\.rawValue)),
            Self.unknownWord(logFormat, of: .logFormat, known: LogLine.Format.allCases.map(\.rawValue)),
            Self.unknownWord(logAudit, of: .logAudit, known: AuditLog.Scope.allCases.map(\.rawValue)),
        ].compactMap { $0 }
    }

    private static func unknownWord(_ word: String, of setting: Setting, known: [String]) -> SettingsError? {
        guard !known.contains(word) else { return nil }
        return SettingsError(setting.name, fault: "is \(word); it must be one of \(known.joined(separator: ", "))")
    }

    private var listenProblems: [SettingsError] {
        var problems: [SettingsError] = []
        if listen.host.isEmpty && listen.unixSocket.isEmpty {
            problems.append(
                SettingsError("listen.host", fault: "is empty, and so is listen.unixSocket: no client could connect"))
        }
        if listen.unixSocketPermissions == nil {
            problems.append(
                SettingsError(
                    "listen.unixSocketMode", fault: "is \(listen.unixSocketMode); it must be octal digits, as 0660"))
        }
        if listen.certificateFile.isEmpty != listen.certificateKeyFile.isEmpty {
            problems.append(
                SettingsError(
                    "listen.certificateKeyFile",
                    fault: "listen.certificateFile and listen.certificateKeyFile go together"))
        }
        if !listen.clientAuthoritiesFile.isEmpty && listen.certificateFile.isEmpty {
            problems.append(
                SettingsError(
                    "listen.clientAuthoritiesFile", fault: "client certificates need TLS: set listen.certificateFile")
            )
        }
        return problems
    }

    private var clusterProblems: [SettingsError] {
        var problems: [SettingsError] = []
        if cluster.url.isEmpty != cluster.node.isEmpty {
            problems.append(SettingsError("cluster.node", fault: "cluster.url and cluster.node go together"))
        }
        if !cluster.node.isEmpty, NodeName(cluster.node) == nil {
            problems.append(
                SettingsError(
                    "cluster.node",
                    fault:
                        "is \(cluster.node); it must be 1 to 63 of a to z, 0 to 9, '-', '_' and '.', and begin with a "
                        + "letter or digit"))
        }
        if cluster.address.utf8.count > NodeProgress.maximumTextBytes {
            problems.append(
                SettingsError("cluster.address", fault: "has more than \(NodeProgress.maximumTextBytes) bytes"))
        }
        return problems
    }

    /// The faults of the connections to providers.
    private var connectionProblems: [SettingsError] {
        var problems: [SettingsError] = []
        if pools.minimumConnections > apns.maximumConnections {
            problems.append(
                SettingsError(
                    "pools.minimumConnections",
                    fault: "is more than apns.maximumConnections, which is \(apns.maximumConnections)"))
        }
        if !proxy.address.isEmpty && Proxy.address(proxy.address) == nil {
            problems.append(
                SettingsError(
                    "proxy.address", fault: "is \(proxy.address); it must be host:port, as proxy.internal:3128"))
        }
        if proxy.address.isEmpty && !proxy.credentialsFile.isEmpty {
            problems.append(SettingsError("proxy.credentialsFile", fault: "is for a proxy: set proxy.address"))
        }
        return problems
    }

    private var webPushProblems: [SettingsError] {
        let settings = [(Setting.webPushHosts, webPush.hosts), (.webPushInternalHosts, webPush.internalHosts)]
        return settings.flatMap { setting, hosts in
            hosts.split(separator: " ").filter { EndpointRules.Host(String($0)) == nil }.map { host in
                SettingsError(
                    setting.name, fault: "\(host) is not a host: push.example.com, *.example.com or host:port")
            }
        }
    }

    private var httpProblems: [SettingsError] {
        [(console, Setting.consoleHost), (http, Setting.httpHost)].compactMap { listener, setting in
            guard listener.isEnabled, !listener.isLoopback, listen.certificateFile.isEmpty else { return nil }
            return SettingsError(
                setting.name,
                fault:
                    "\(listener.host) is not a loopback address: set listen.certificateFile and "
                    + "listen.certificateKeyFile")
        }
    }
}

extension Settings.HTTPListener {
    var isEnabled: Bool { port >= 0 }
    /// True if the address is of this machine alone, where plaintext is served. Names are not looked up: `localhost` is
    /// the only one that counts as local.
    var isLoopback: Bool {
        // Why try?: what is no IP address is a name.
        guard let ip = (try? SocketAddress(ipAddress: host, port: 0))?.ipAddress else { return host == "localhost" }
        return ip.hasPrefix("127.") || ip == "::1"
    }
}

extension Settings.WebPush {
    /// The push services that requests are sent to.
    var rules: EndpointRules {
        EndpointRules(
            additional: hosts.split(separator: " ").compactMap { EndpointRules.Host(String($0)) }
                + internalHosts.split(separator: " ").compactMap { EndpointRules.Host(String($0), isInternal: true) })
    }
}

extension Settings.Listen {
    /// The mode of the Unix socket; nil if the text is no mode.
    var unixSocketPermissions: UInt32? {
        guard unixSocketMode.allSatisfy(\.isASCII), let mode = UInt32(unixSocketMode, radix: 8), mode <= 0o777,
            !unixSocketMode.hasPrefix("+")
        else { return nil }
        return mode
    }
}
