import CarillonCluster
import CarillonProvider
import Logging
import NIOCore

/// Checks of settings that open nothing.
extension Settings {
    /// Everything that cannot work, as far as it is known without opening anything.
    package var problems: [SettingsError] {
        outOfBounds + contradictions
    }

    private var outOfBounds: [SettingsError] {
        let numbers: [(Setting, Int)] = [
            (.listenPort, listen.port), (.dataLimit, data.limitMebibytes),
            (.apnsPort, apns.port), (.apnsProductionChannelPort, apns.productionChannelPort),
            (.apnsSandboxChannelPort, apns.sandboxChannelPort), (.apnsConnections, apns.connections),
            (.apnsMinimumConnections, apns.minimumConnections), (.apnsAgeMinutes, apns.ageMinutes),
            (.apnsAnswerSeconds, apns.answerSeconds),
            (.fcmPort, fcm.port), (.fcmConnections, fcm.connections), (.fcmAnswerSeconds, fcm.answerSeconds),
            (.limitsConnections, limits.connections), (.limitsHandshakes, limits.handshakes),
            (.limitsHandshakesPerAddress, limits.handshakesPerAddress), (.limitsMemory, limits.memoryMebibytes),
            (.limitsKeepalive, limits.keepaliveSeconds),
            (.limitsDrain, limits.drainSeconds),
            (.retentionIdempotency, retention.idempotencyHours), (.retentionTombstones, retention.tombstoneDays),
            (.retentionMessages, retention.messageDays), (.retentionQuarantine, retention.quarantineDays),
            (.retentionEvents, retention.eventDays), (.eventsLimit, retention.events),
            (.silentPushes, silentPushesPerHour),
            (.metricsPort, metrics.port), (.consolePort, console.port), (.httpPort, http.port),
            (.threads, threads), (.bulkNiceness, bulkNiceness),
        ]
        return numbers.compactMap { setting, value in
            guard case .number(_, let range) = setting.value, !range.contains(value) else { return nil }
            return SettingsError(setting.name, "is \(value); it must be \(range.lowerBound) to \(range.upperBound)")
        }
    }

    private var contradictions: [SettingsError] {
        var problems: [SettingsError] = []
        if Logger.Level(rawValue: logLevel) == nil {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            problems.append(SettingsError("log.level", "is \(logLevel); it must be one of \(levels)"))
        }
        if LogRecord.Format(rawValue: logFormat) == nil {
            let formats = LogRecord.Format.allCases.map(\.rawValue).joined(separator: ", ")
            problems.append(SettingsError("log.format", "is \(logFormat); it must be one of \(formats)"))
        }
        if AuditLog.Scope(rawValue: logAudit) == nil {
            let scopes = AuditLog.Scope.allCases.map(\.rawValue).joined(separator: ", ")
            problems.append(SettingsError("log.audit", "is \(logAudit); it must be one of \(scopes)"))
        }
        if listen.host.isEmpty && listen.unixSocket.isEmpty {
            problems.append(
                SettingsError("listen.host", "is empty, and so is listen.unixSocket: no client could connect"))
        }
        if listen.unixSocketPermissions == nil {
            problems.append(
                SettingsError("listen.unixSocketMode", "is \(listen.unixSocketMode); it must be octal digits, as 0660"))
        }
        if listen.certificate.isEmpty != listen.key.isEmpty {
            problems.append(SettingsError("listen.key", "listen.certificate and listen.key go together"))
        }
        if !listen.clientAuthorities.isEmpty && listen.certificate.isEmpty {
            problems.append(
                SettingsError("listen.clientAuthorities", "client certificates need TLS: set listen.certificate"))
        }
        if cluster.url.isEmpty != cluster.node.isEmpty {
            problems.append(SettingsError("cluster.node", "cluster.url and cluster.node go together"))
        }
        if !cluster.node.isEmpty, NodeName(cluster.node) == nil {
            problems.append(
                SettingsError(
                    "cluster.node",
                    "is \(cluster.node); it must be 1 to 63 of a to z, 0 to 9, '-', '_' and '.', and begin with a letter "
                        + "or digit"))
        }
        if cluster.address.utf8.count > NodeProgress.maximumTextBytes {
            problems.append(
                SettingsError("cluster.address", "has more than \(NodeProgress.maximumTextBytes) bytes"))
        }
        if apns.minimumConnections > apns.connections {
            problems.append(
                SettingsError("apns.minimumConnections", "is more than apns.connections, which is \(apns.connections)"))
        }
        if !apns.proxy.isEmpty && Proxy.address(apns.proxy) == nil {
            problems.append(
                SettingsError("apns.proxy", "is \(apns.proxy); it must be host:port, as proxy.internal:3128"))
        }
        if apns.proxy.isEmpty && !apns.proxyCredentialsFile.isEmpty {
            problems.append(SettingsError("apns.proxyCredentialsFile", "is for a proxy: set apns.proxy"))
        }
        for (web, name) in [(console, Setting.consoleHost), (http, Setting.httpHost)] where web.isOn && !web.isLoopback
        {
            if listen.certificate.isEmpty {
                problems.append(
                    SettingsError(
                        name.name, "\(web.host) is not a loopback address: set listen.certificate and listen.key"))
            }
        }
        return problems
    }
}

extension Settings.Web {
    /// True if the port is opened.
    var isOn: Bool { port >= 0 }
    /// True if the address is of this machine alone: plaintext is served there.
    var isLoopback: Bool {
        let ip = (try? SocketAddress.makeAddressResolvingHost(host, port: 0))?.ipAddress ?? ""
        return ip.hasPrefix("127.") || ip == "::1"
    }
}

extension Settings.Listen {
    /// The mode of the Unix socket; nil if it is none.
    var unixSocketPermissions: UInt32? {
        guard unixSocketMode.allSatisfy(\.isASCII), let mode = UInt32(unixSocketMode, radix: 8), mode <= 0o777,
            !unixSocketMode.hasPrefix("+")
        else { return nil }
        return mode
    }
}
