package import CarillonCore

/// The push service of an endpoint. The answers of the services differ.
package enum WebPushService: String, Hashable, Sendable, CaseIterable {
    /// The service of Chrome and its relatives.
    case google
    /// The service of Firefox.
    case mozilla
    /// The service of Safari.
    case apple
    /// The service of Edge on Windows.
    case windows
    /// Any other service, for example of the operator.
    case other

    /// Finds the service of an endpoint.
    package init(_ endpoint: HTTPSAddress) {
        let host = endpoint.host
        self =
            if ["fcm.googleapis.com", "jmt17.google.com", "android.googleapis.com"].contains(host) {
                .google
            } else if host.hasSuffix(".push.services.mozilla.com") {
                .mozilla
            } else if host.hasSuffix(".push.apple.com") {
                .apple
            } else if host.hasSuffix(".notify.windows.com") {
                .windows
            } else {
                .other
            }
    }
}
