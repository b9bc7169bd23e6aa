import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTransport
import CarillonWebPush

/// The deployment as the console shows it. Nothing in it is a secret: settings name the files of keys, and a principal
/// has no hash of a key.
extension Deployment {
    var descriptionAsJSON: [UInt8] {
        var output = JSONStreamWriter()
        output.object { output in
            output.name("settings")
            output.array { output in
                for setting in Setting.all { describe(setting, to: &output) }
            }
            output.name("credentials")
            output.array { output in
                for (name, credential) in credentials.sorted(by: { $0.key < $1.key }) {
                    describe(credential, named: name, to: &output)
                }
            }
            output.name("apps")
            output.array { output in
                for (name, app) in apps.apps.sorted(by: { $0.key < $1.key }) {
                    output.object { output in
                        output.member("app", name)
                        if let production = app.production { output.member("production", production) }
                        if let sandbox = app.sandbox { output.member("sandbox", sandbox) }
                        if let fcm = app.fcm { output.member("fcm", fcm) }
                        if let web = app.web { output.member("web", web) }
                    }
                }
            }
            output.name("principals")
            output.array { output in for each in principals.all { describe(each, to: &output) } }
            if let end = certificate?.notAfterSeconds { output.member("certificate_not_after", end * 1_000) }
        }
        return output.bytes
    }

    private func describe(_ setting: Setting, to output: inout JSONStreamWriter) {
        let value = settings.inForce[setting.name] ?? ""
        let defaultValue =
            switch setting.value {
            case .text(let text): text
            case .number(let number, _): "\(number)"
            case .flag(let flag): "\(flag)"
            }
        output.object { output in
            output.member("name", setting.name)
            output.member("value", value)
            output.member("is_default", value == defaultValue)
            output.member("is_reloaded", setting.isReloaded)
            output.member("purpose", setting.purpose)
        }
    }

    private func describe(_ credential: LoadedCredential, named name: String, to output: inout JSONStreamWriter) {
        let file = apps.credentials[name]
        output.object { output in
            output.member("credential", name)
            output.member("kind", credential.kind)
            if let team = file?.teamID { output.member("team_id", team) }
            if let key = file?.keyID { output.member("key_id", key) }
            if case .serviceAccount(let account, _) = credential.authentication {
                output.member("project", account.projectID)
            }
            if case .vapid(let tokens) = credential.authentication {
                output.member("public_key", tokens.publicKeyText)
                output.member("subject", tokens.contact.text)
            }
            if let end = credential.certificate?.notAfterSeconds { output.member("not_after", end * 1_000) }
        }
    }

    private func describe(_ principal: Principal, to output: inout JSONStreamWriter) {
        output.object { output in
            output.member("principal", principal.name)
            if let rate = principal.requestsPerSecond { output.member("requests_per_second", rate) }
            output.name("grants")
            output.array { output in
                for grant in principal.grants { describe(grant, to: &output) }
            }
        }
    }

    private func describe(_ grant: Grant, to output: inout JSONStreamWriter) {
        let words = [(Roles.register, "register"), (.send, "send"), (.observe, "observe"), (.admin, "admin")]
        output.object { output in
            output.member("app", grant.app?.name ?? "*")
            output.name("roles")
            output.array { output in
                for (role, word) in words where grant.roles.contains(role) { output.string(word) }
            }
        }
    }
}
