import CarillonClient
import Testing

struct AddressTests {
    typealias Address = CarillonClient.Configuration.Address

    @Test(arguments: [
        ("127.0.0.1:7474", Address.tcp(host: "127.0.0.1", port: 7474)),
        ("[::1]:80", .tcp(host: "::1", port: 80)),
        ("push.internal:1", .tcp(host: "push.internal", port: 1)),
        ("unix:/run/carillon.sock", .unixSocket(path: "/run/carillon.sock")),
        ("unix:", nil), ("host", nil), ("host:", nil), (":80", nil), ("host:0", nil), ("host:65536", nil),
        ("::1:80", nil), ("[]:80", nil),
    ])
    func `an address is host and port or a Unix socket`(text: String, address: Address?) {
        #expect(Address(text) == address)
    }
}
