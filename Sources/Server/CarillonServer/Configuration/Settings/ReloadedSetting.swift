/// A setting that a running server takes over when it reads the settings again.
struct ReloadedSetting: Sendable {
    let setting: Setting
    /// Copies the value from the new settings to those in force.
    private let copy: @Sendable (_ new: Settings, _ settings: inout Settings) -> Void

    private init<Value>(_ setting: Setting, in value: any WritableKeyPath<Settings, Value> & Sendable) {
        self.setting = setting
        copy = { new, settings in settings[keyPath: value] = new[keyPath: value] }
    }

    /// All settings that are reloaded. The others take effect at the next start.
    static let all: [ReloadedSetting] = [
        ReloadedSetting(.appsFile, in: \.appsFile),
        ReloadedSetting(.principalsFile, in: \.principalsFile),
        ReloadedSetting(.secretsAllowAccessByOthers, in: \.allowsAccessByOthers),
        ReloadedSetting(.listenCertificateFile, in: \.listen.certificateFile),
        ReloadedSetting(.listenCertificateKeyFile, in: \.listen.certificateKeyFile),
        ReloadedSetting(.listenClientAuthoritiesFile, in: \.listen.clientAuthoritiesFile),
        ReloadedSetting(.webPushHosts, in: \.webPush.hosts),
        ReloadedSetting(.webPushInternalHosts, in: \.webPush.internalHosts),
        ReloadedSetting(.limitsConnections, in: \.limits.connections),
        ReloadedSetting(.limitsHalfOpenConnections, in: \.limits.halfOpenConnections),
        ReloadedSetting(.limitsHalfOpenConnectionsPerAddress, in: \.limits.halfOpenConnectionsPerAddress),
        ReloadedSetting(.limitsClientMemory, in: \.limits.clientMemoryMebibytes),
        ReloadedSetting(.limitsKeepalive, in: \.limits.keepaliveSeconds),
    ]

    func apply(_ new: Settings, to settings: inout Settings) {
        copy(new, &settings)
        settings.inForce[setting.name] = new.inForce[setting.name]
    }
}

extension Settings {
    /// The result of taking over settings that were read again.
    struct Reload: Sendable {
        /// The old settings, with the new values of the settings that are reloaded.
        var reloaded: Settings
        /// True if other settings have changed as well.
        var needsRestart: Bool
    }

    /// Takes over the settings that are reloaded.
    func applying(_ new: Settings) -> Reload {
        var reloaded = self
        for setting in ReloadedSetting.all { setting.apply(new, to: &reloaded) }
        return Reload(reloaded: reloaded, needsRestart: reloaded != new)
    }
}
