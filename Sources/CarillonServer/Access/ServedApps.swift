import CarillonCore
import Synchronization

/// Which apps are served now; a reload may change it.
final class ServedApps: Sendable {
    private let routes: Mutex<Routes>

    init(_ routes: Routes) {
        self.routes = Mutex(routes)
    }

    /// Whether the app is served at all.
    func serves(_ app: AppID) -> Bool { routes.withLock { $0.serves(app) } }

    /// Serves those apps from now on.
    func change(to routes: Routes) { self.routes.withLock { $0 = routes } }
}
