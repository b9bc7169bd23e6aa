package import Configuration

/// All settings, read from a configuration.
extension Settings {
    /// Reads the settings. An absent one has its default, one of another type is refused.
    package init(_ config: ConfigReader) throws(SettingsError) {
        listen = try Listen(config)
        apns = try APNs(config)
        fcm = try FCM(config)
        webPush = try WebPush(config)
        proxy = HTTPProxy(
            address: try config.text(.proxyAddress), credentialsFile: try config.text(.proxyCredentialsFile))
        pools = Pools(
            minimumConnections: try config.number(.poolsMinimumConnections),
            maximumConnectionAgeMinutes: try config.number(.poolsMaximumConnectionAgeMinutes))
        data = Data(path: try config.text(.dataPath), limitMebibytes: try config.number(.dataLimit))
        cluster = try Cluster(config)
        limits = try ClientLimits(config)
        retention = try Retention(config)
        silentPushesPerHour = try config.number(.silentPushes)
        metrics = try Metrics(config)
        console = HTTPListener(
            host: try config.text(.consoleHost), port: try config.number(.consolePort),
            portFile: try config.text(.consolePortFile), names: try config.text(.consoleNames))
        http = HTTPListener(
            host: try config.text(.httpHost), port: try config.number(.httpPort),
            portFile: try config.text(.httpPortFile))
        appsFile = try config.text(.appsFile)
        allowsAccessByOthers = try config.flag(.secretsAllowAccessByOthers)
        principalsFile = try config.text(.principalsFile)
        logLevel = try config.text(.logLevel)
        logFormat = try config.text(.logFormat)
        logAudit = try config.text(.logAudit)
        clientThreads = try config.number(.clientThreads)
        bulkNiceness = try config.number(.bulkNiceness)
        for setting in Setting.all {
            inForce[setting.name] =
                switch setting.value {
                case .text: setting == .clusterURL && !cluster.url.isEmpty ? "(is set)" : try config.text(setting)
                case .number: "\(try config.number(setting))"
                case .flag: "\(try config.flag(setting))"
                }
        }
    }
}

extension Settings.Listen {
    fileprivate init(_ config: ConfigReader) throws(SettingsError) {
        host = try config.text(.listenHost)
        port = try config.number(.listenPort)
        portFile = try config.text(.listenPortFile)
        unixSocket = try config.text(.listenUnixSocket)
        unixSocketMode = try config.text(.listenUnixSocketMode)
        certificateFile = try config.text(.listenCertificateFile)
        certificateKeyFile = try config.text(.listenCertificateKeyFile)
        clientAuthoritiesFile = try config.text(.listenClientAuthoritiesFile)
        allowPlaintext = try config.flag(.listenAllowPlaintext)
    }
}

extension Settings.APNs {
    fileprivate init(_ config: ConfigReader) throws(SettingsError) {
        productionHost = try config.text(.apnsProductionHost)
        sandboxHost = try config.text(.apnsSandboxHost)
        port = try config.number(.apnsPort)
        productionChannelHost = try config.text(.apnsProductionChannelHost)
        productionChannelPort = try config.number(.apnsProductionChannelPort)
        sandboxChannelHost = try config.text(.apnsSandboxChannelHost)
        sandboxChannelPort = try config.number(.apnsSandboxChannelPort)
        authoritiesFile = try config.text(.apnsAuthoritiesFile)
        maximumConnections = try config.number(.apnsMaximumConnections)
        answerTimeoutSeconds = try config.number(.apnsAnswerTimeoutSeconds)
    }
}

extension Settings.FCM {
    fileprivate init(_ config: ConfigReader) throws(SettingsError) {
        host = try config.text(.fcmHost)
        port = try config.number(.fcmPort)
        authoritiesFile = try config.text(.fcmAuthoritiesFile)
        maximumConnections = try config.number(.fcmMaximumConnections)
        answerTimeoutSeconds = try config.number(.fcmAnswerTimeoutSeconds)
    }
}

extension Settings.WebPush {
    fileprivate init(_ config: ConfigReader) throws(SettingsError) {
        hosts = try config.text(.webPushHosts)
        internalHosts = try config.text(.webPushInternalHosts)
        authoritiesFile = try config.text(.webPushAuthoritiesFile)
        maximumConnections = try config.number(.webPushMaximumConnections)
        answerTimeoutSeconds = try config.number(.webPushAnswerTimeoutSeconds)
    }
}

extension Settings.Cluster {
    fileprivate init(_ config: ConfigReader) throws(SettingsError) {
        url = try config.text(.clusterURL)
        node = try config.text(.clusterNode)
        address = try config.text(.clusterAddress)
    }
}

extension Settings.ClientLimits {
    fileprivate init(_ config: ConfigReader) throws(SettingsError) {
        connections = try config.number(.limitsConnections)
        halfOpenConnections = try config.number(.limitsHalfOpenConnections)
        halfOpenConnectionsPerAddress = try config.number(.limitsHalfOpenConnectionsPerAddress)
        clientMemoryMebibytes = try config.number(.limitsClientMemory)
        keepaliveSeconds = try config.number(.limitsKeepalive)
        drainSeconds = try config.number(.limitsDrain)
    }
}

extension Settings.Retention {
    fileprivate init(_ config: ConfigReader) throws(SettingsError) {
        idempotencyHours = try config.number(.retentionIdempotency)
        tombstoneDays = try config.number(.retentionTombstones)
        messageDays = try config.number(.retentionMessages)
        quarantineDays = try config.number(.retentionQuarantine)
        eventDays = try config.number(.retentionEvents)
        maximumEvents = try config.number(.retentionMaximumEvents)
    }
}

extension Settings.Metrics {
    fileprivate init(_ config: ConfigReader) throws(SettingsError) {
        host = try config.text(.metricsHost)
        port = try config.number(.metricsPort)
        portFile = try config.text(.metricsPortFile)
    }
}

/// Typed reads of one setting: its value, or its default if it is absent. A value of another type is an error.
extension ConfigReader {
    func text(_ setting: Setting) throws(SettingsError) -> String {
        let key = ConfigKey(setting.name)
        guard case .text(let defaultValue) = setting.value else { return "" }
        return try value(of: key, type: "a text", string(forKey: key), default: defaultValue)
    }

    func number(_ setting: Setting) throws(SettingsError) -> Int {
        let key = ConfigKey(setting.name)
        guard case .number(let defaultValue, _) = setting.value else { return 0 }
        return try value(of: key, type: "a whole number", int(forKey: key), default: defaultValue)
    }

    func flag(_ setting: Setting) throws(SettingsError) -> Bool {
        let key = ConfigKey(setting.name)
        guard case .flag(let defaultValue) = setting.value else { return false }
        return try value(of: key, type: "true or false", bool(forKey: key), default: defaultValue)
    }

    private func value<T>(of name: ConfigKey, type: String, _ found: T?, default defaultValue: T) throws(SettingsError)
        -> T
    {
        if let found { return found }
        // A value of another type would otherwise pass for absent.
        let isSet =
            string(forKey: name) != nil || int(forKey: name) != nil || double(forKey: name) != nil
            || bool(forKey: name) != nil || stringArray(forKey: name) != nil
        guard !isSet else { throw SettingsError("\(name)", fault: "must be \(type)") }
        return defaultValue
    }
}
