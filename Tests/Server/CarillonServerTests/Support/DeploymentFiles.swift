import CarillonTestKit
import Configuration
import Foundation
import Testing

@testable import CarillonServer

/// The files of a deployment, in the temporary directory of an authority: its certificate is `ca.pem`.
struct DeploymentFiles: Sendable {
    private let authority: TestAuthority

    /// Writes an apps file with the credential `main` and the app `com.example.game`, and a principals file.
    init() throws {
        authority = try TestAuthority()
        try makeKey("main")
        try writeApps(credentials: ["main"], apps: ["com.example.game": "main"])
        try write("principals.json", #"{"principals": [{"name": "demo", "grants": []}]}"#)
    }

    func path(_ name: String) -> String { authority.path(name) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    /// Writes the apps file.
    ///
    /// - Parameters:
    ///   - credentials: names, each with a key of `makeKey`.
    ///   - apps: the credential of each app in production.
    func writeApps(credentials: [String], apps: [String: String]) throws {
        let keys = credentials.map {
            #""\#($0)": {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "\#($0).p8"}"#
        }
        let routes = apps.map { #""\#($0)": {"production": "\#($1)"}"# }
        let credentials = keys.joined(separator: ", ")
        let apps = routes.joined(separator: ", ")
        try write("apps.json", #"{"credentials": {\#(credentials)}, "apps": {\#(apps)}}"#)
    }

    /// Writes a new provider key, or replaces one.
    func makeKey(_ credential: String) throws {
        try authority.ellipticKey("\(credential).p8")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("\(credential).p8"))
    }

    /// Makes settings that name the files, with others of the test.
    func settings(_ values: [AbsoluteConfigKey: ConfigValue] = [:]) throws -> Settings {
        var settings = try Settings(ConfigReader(provider: InMemoryProvider(values: values)))
        settings.appsFile = path("apps.json")
        settings.principalsFile = path("principals.json")
        return settings
    }

    /// Makes the deployment of the files as they are now.
    func deployment() throws -> Deployment { try Deployment(settings()) }
}

/// A file that the server refuses: the fault in it, its text, and words of the error.
struct RefusedFile: CustomTestStringConvertible {
    let fault: String
    let text: String
    let words: String

    init(_ fault: String, text: String, words: String) {
        self.fault = fault
        self.text = text
        self.words = words
    }

    var testDescription: String { fault }
}
