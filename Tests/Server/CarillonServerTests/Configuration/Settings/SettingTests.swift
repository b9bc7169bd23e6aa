import CarillonTestKit
import Configuration
import Foundation
import Testing

@testable import CarillonServer

/// Every setting is in the help and in the example, and what they say of it is true.
struct SettingTests {
    private static let example = Repository.file("Tools/packaging/carillon.example.json")

    private func settings(of data: Data) throws -> Settings {
        let snapshot = try data.withUnsafeBytes { bytes in
            try CommentedJSON(data: bytes.bytes, providerName: "test", parsingOptions: .default)
        }
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for setting in Setting.all {
            let key = AbsoluteConfigKey(setting.name.split(separator: ".").map(String.init))
            let type: ConfigType =
                switch setting.value {
                case .text: .string
                case .number: .int
                case .flag: .bool
                }
            values[key] = try snapshot.value(forKey: key, type: type).value
        }
        return try Settings(ConfigReader(provider: InMemoryProvider(values: values)))
    }

    @Test(arguments: Setting.all)
    func `every setting is read`(_ setting: Setting) throws {
        let (changed, defaults) = try changing(setting)
        #expect(changed != defaults)
    }

    /// The compiler accepts a constant that `all` lacks.
    @Test func `the list of all settings has every constant`() throws {
        let file = Repository.file("Sources/Server/CarillonServer/Configuration/Settings/Setting.swift")
        let constants = try String(contentsOf: file, encoding: .utf8).matches(of: /static let \w+ = Setting\(/)
        #expect(constants.count == Setting.all.count)
    }

    @Test func `the example file agrees with the table`() throws {
        let text = try String(contentsOf: Self.example, encoding: .utf8)
        #expect(text == Setting.example, "write it anew: carillond --example-config")
    }

    @Test func `the example file holds every setting with its default`() throws {
        let read = try settings(of: Data(contentsOf: Self.example))
        #expect(try read == Settings(ConfigReader(provider: InMemoryProvider(values: [:]))))
        let snapshot = try Data(contentsOf: Self.example).withUnsafeBytes { bytes in
            try CommentedJSON(data: bytes.bytes, providerName: "test", parsingOptions: .default)
        }
        for setting in Setting.all {
            let key = AbsoluteConfigKey(setting.name.split(separator: ".").map(String.init))
            let found = [ConfigType.string, .int, .bool].contains {
                (try? snapshot.value(forKey: key, type: $0).value) != nil
            }
            #expect(found, "\(setting.name) is not in the example")
        }
    }

    @Test(arguments: Setting.all)
    func `the help explains every setting`(_ setting: Setting) {
        #expect(Setting.help.contains("  \(setting.option) "))
        #expect(setting.purpose.hasSuffix("."))
        if case .number(let number, let range) = setting.value { #expect(range.contains(number)) }
    }

    /// Returns the settings in which one has another value than its default, and the defaults.
    private func changing(_ setting: Setting) throws -> (changed: Settings, defaults: Settings) {
        let content: ConfigContent =
            switch setting.value {
            case .text: .string("other")
            case .number(let number, _): .int(number + 1)
            case .flag(let flag): .bool(!flag)
            }
        let key = AbsoluteConfigKey(setting.name.split(separator: ".").map(String.init))
        let provider = InMemoryProvider(values: [key: .init(content, isSecret: false)])
        return (
            try Settings(ConfigReader(provider: provider)),
            try Settings(ConfigReader(provider: InMemoryProvider(values: [:])))
        )
    }

    @Test func `no two settings have the same name`() {
        #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
    }

    @Test(arguments: Setting.all)
    func `a reload takes over what the table says`(_ setting: Setting) throws {
        let (changed, defaults) = try changing(setting)
        let reload = defaults.applying(changed)
        #expect(reload.needsRestart == !setting.isReloaded)
        #expect(reload.reloaded == (setting.isReloaded ? changed : defaults))
    }

    @Test func `a setting names its flag and its variable`() {
        #expect(Setting.listenPortFile.option == "--listen-port-file")
        #expect(Setting.listenPortFile.variable == "CARILLON_LISTEN_PORT_FILE")
        #expect(Setting.clientThreads.option == "--client-threads")
    }

    @Test(arguments: [
        ("// a\n{\"clientThreads\": 3}", 3), ("{\n  // \"clientThreads\": 9,\n\t// x\n\"clientThreads\": 4\n}", 4),
        ("{\"clientThreads\": 5, \"data\": {\"path\": \"//server/x\"}}", 5),
    ])
    func `comments of the example file are not read`(_ text: String, _ threads: Int) throws {
        #expect(try settings(of: Data(text.utf8)).clientThreads == threads)
    }
}
