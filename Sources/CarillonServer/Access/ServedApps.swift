import CarillonCore
import Synchronization

/// Which apps are served now, and which push types can be sent to them; a reload may change it.
final class ServedApps: Sendable {
    private let pushTypes: Mutex<[AppID: Set<PushType>]>

    /// - Parameter pushTypes: of each app, those that one of its credentials may push; of one without, all.
    init(_ pushTypes: [AppID: Set<PushType>]) {
        self.pushTypes = Mutex(pushTypes)
    }

    /// Whether the app is served at all.
    func serves(_ app: AppID) -> Bool { pushTypes.withLock { $0[app] != nil } }

    /// Whether a credential of the app may push that type.
    func carries(_ type: PushType, for app: AppID) -> Bool {
        pushTypes.withLock { $0[app]?.contains(type) == true }
    }

    /// Serves those apps from now on.
    func change(to pushTypes: [AppID: Set<PushType>]) { self.pushTypes.withLock { $0 = pushTypes } }
}
