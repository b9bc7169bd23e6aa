/// What a running server takes over of settings that were read again.
extension Settings {
    /// Settings that were read again by a running server.
    struct Reload: Sendable {
        /// The old settings with those new ones that may change while the server runs.
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
