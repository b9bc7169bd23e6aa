package import CarillonCore
import CarillonTLS

/// The rules for the push services that requests are sent to.
///
/// A subscription comes from a browser, and the server sends a request to its endpoint: without rules, anyone with a
/// browser could aim the server at any machine. So the host must be on a list, when a device is registered and again
/// when it is sent to. At each connection the address that the host resolves to must be public. Redirects are never
/// followed.
package struct EndpointRules: Hashable, Sendable {
    /// An entry of the list.
    package struct Host: Hashable, Sendable {
        /// A DNS name in lower case.
        package let name: String
        /// True if the names below it are meant, and not the name itself.
        package let isSuffix: Bool
        /// The port of the host: 443 if the entry names none.
        package let port: UInt16
        /// True if the host may have an address that is not public: a push service in the operator's own network.
        package let isInternal: Bool

        /// Reads an entry: `push.example.com`, `*.example.com`, `push.example.com:8443`; nil for anything else.
        package init?(_ text: String, isInternal: Bool = false) {
            let suffix = text.removing(prefix: "*.")
            guard let address = HTTPSAddress("https://" + (suffix ?? text[...])),
                address.target == "/", !text.hasSuffix("/"), !text.hasSuffix("?"),
                suffix == nil || address.host.contains(".")
            else { return nil }
            name = address.host
            port = address.port
            isSuffix = suffix != nil
            self.isInternal = isInternal
        }

        /// Returns true if the entry is about an endpoint.
        func matches(_ address: HTTPSAddress) -> Bool {
            guard port == address.port else { return false }
            return isSuffix ? address.host.hasSuffix("." + name) : address.host == name
        }
    }

    /// The services of the browsers. All use the port 443.
    package static let browserServices = [
        "fcm.googleapis.com", "jmt17.google.com", "android.googleapis.com", "*.push.services.mozilla.com",
        "*.push.apple.com", "*.notify.windows.com",
    ]

    private let hosts: [Host]
    private let allowsPublicHosts: Bool

    /// Allows the push services of the browsers, and what the parameters add.
    ///
    /// - Parameters:
    ///   - additional: entries of the operator, beside the services of the browsers.
    ///   - allowsPublicHosts: true if any host is allowed on the port 443, as long as its address is public.
    package init(additional: [Host] = [], allowsPublicHosts: Bool = false) {
        hosts = Self.browserServices.compactMap { Host($0) } + additional
        self.allowsPublicHosts = allowsPublicHosts
    }

    /// Returns true if requests may be sent to an endpoint. The address that it resolves to is another question:
    /// `mayConnect`.
    package func allows(_ endpoint: HTTPSAddress) -> Bool {
        hosts.contains { $0.matches(endpoint) } || allowsPublicHosts && endpoint.port == 443
    }

    /// Returns true if a connection to an address of an endpoint's host may be opened. Asked for each address that DNS
    /// names, directly before connecting to that address: a name can have another address a moment later.
    package func mayConnect(to address: NetworkAddress, for endpoint: HTTPSAddress) -> Bool {
        guard allows(endpoint) else { return false }
        let isInternal = hosts.contains { $0.isInternal && $0.matches(endpoint) }
        return address.isPublic || isInternal && address.isUnicast
    }
}

/// Checks a push subscription that a browser has made, and names its device.
extension WebPushSubscription {
    /// True if the browser's key is a point of the curve: nothing can be encrypted for another.
    package var hasPointOfCurve: Bool { P256Point.isValid(publicKey) }

    /// The token of the device: the SHA-256 of the endpoint (Protocol 16.3).
    package var token: [UInt8] { SHA256.hash(Array(endpoint.utf8)) }
}
