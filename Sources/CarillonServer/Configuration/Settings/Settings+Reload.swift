/// The settings that a running server takes over when it reads them again.
extension Settings {
    /// The result of taking over settings that were read again.
    struct Reload: Sendable {
        /// The old settings, with the new values of settings that may change while the server runs.
        var reloaded: Settings
        /// True if other settings have changed as well.
        var needsRestart: Bool
    }

    /// Takes over the settings that have `Setting.isReloaded`.
    func takingOver(_ new: Settings) -> Reload {
        var reloaded = self
        reloaded.appsFile = new.appsFile
        reloaded.principalsFile = new.principalsFile
        reloaded.allowsOpenFiles = new.allowsOpenFiles
        reloaded.listen.certificate = new.listen.certificate
        reloaded.listen.key = new.listen.key
        reloaded.listen.clientAuthorities = new.listen.clientAuthorities
        reloaded.webPush.hosts = new.webPush.hosts
        reloaded.webPush.internalHosts = new.webPush.internalHosts
        let drainSeconds = limits.drainSeconds
        reloaded.limits = new.limits
        reloaded.limits.drainSeconds = drainSeconds
        for setting in Setting.all where setting.isReloaded {
            reloaded.inForce[setting.name] = new.inForce[setting.name]
        }
        return Reload(reloaded: reloaded, needsRestart: reloaded != new)
    }
}
