import PopupBroker
import PopupProtocol
import Supervision
import Yams

/// A configuration file: YAML, with the settings as nested mappings and the policies as a list.
struct ConfigurationFile {
    /// The path, as it was given.
    let name: String
    /// The content, if it is known already; `nil`: that of the file.
    var content: String?

    /// Sets what the file says, and records everything that is wrong with it.
    func read(into draft: inout ConfigurationDraft) {
        if let root = root(problems: &draft.problems) { read(root, into: &draft) }
    }

    /// Returns the content of the file; `nil` if it has only comments, or is no YAML, which is recorded.
    func root(problems: inout [ConfigurationProblem]) -> Node? {
        do {
            let root = try Yams.Parser(yaml: text()).singleRoot()
            return root?.scalar?.string.isEmpty == true ? nil : root
        } catch let problem as ConfigurationProblem {
            problems.append(problem)
        } catch {
            problems.append(problem(syntax: error))
        }
        return nil
    }

    /// Whether a mapping has any section of a configuration.
    func isConfiguration(_ mapping: Node.Mapping) -> Bool {
        mapping.keys.contains { (Self.sections + Self.lists).contains($0.scalar?.string ?? "") }
    }

    func read(_ root: Node, into draft: inout ConfigurationDraft) {
        guard case .mapping(let sections) = root else {
            draft.problems.append(
                problem(root, "", "must be a mapping, for example `log:` with `level: info` below it"))
            return
        }
        for (key, value) in sections { read(section: key, value, into: &draft) }
    }

    private func read(section key: Node, _ value: Node, into draft: inout ConfigurationDraft) {
        let section = key.scalar?.string ?? "?"
        switch section {
        case "policies":
            draft.configuration.broker.policies = MessageList.policies(file: name).read(
                value, problems: &draft.problems)
        case "defaults":
            draft.configuration.broker.defaults = MessageList.defaults(file: name).read(
                value, problems: &draft.problems)
        case _ where (Self.sections + RenamedSettings.sections).contains(section):
            read(settings: value, of: section, into: &draft)
        default:
            let advice = Suggestion.advice(for: section, among: Self.sections + Self.lists)
            draft.problems.append(problem(key, section, "there is no such section; \(advice)"))
        }
    }

    private func read(settings node: Node, of path: String, into draft: inout ConfigurationDraft) {
        guard case .mapping(let settings) = node else {
            if node.scalar?.string.isEmpty == true { return }
            draft.problems.append(problem(node, path, "must be a mapping of settings"))
            return
        }
        for (key, value) in settings {
            let word = key.scalar?.string ?? "?"
            if path == "security", SecurityReader.lists.contains(word) {
                SecurityReader(file: name).read(
                    word, value, into: &draft.configuration.security, problems: &draft.problems)
                continue
            }
            let path = "\(path).\(word)"
            if Setting.all.contains(where: { $0.key.hasPrefix(path + ".") }) {
                read(settings: value, of: path, into: &draft)
            } else if let text = value.scalar?.string {
                draft.set(path, to: text, from: .file(name, line: key.mark?.line))
            } else if Setting.named(path) == nil {
                draft.refuseUnknown(path, from: .file(name, line: key.mark?.line))
            } else {
                draft.problems.append(problem(value, path, "must be a single value"))
            }
        }
    }

    /// The sections that are lists.
    private static let lists = ["policies", "defaults"]

    /// The sections that hold settings.
    private static let sections: [String] = Setting.all.reduce(into: []) { sections, setting in
        let section = String(setting.key.prefix { $0 != "." })
        if sections.last != section { sections.append(section) }
    }

    // MARK: - What can be wrong with the file as a whole

    /// Checks that the file can be read more than once.
    ///
    /// - Throws: `ConfigurationError` if it is a pipe.
    func requireRereadable() throws(ConfigurationError) {
        do { try ServiceFile(name).requireRereadable() } catch {
            throw ConfigurationError(problems: [problem(line: nil, error.description)])
        }
    }

    /// Returns the content.
    func text() throws -> String {
        if let content { return content }
        do { return try ServiceFile(name).text() } catch { throw problem(line: nil, error.description) }
    }

    private func problem(syntax error: any Error) -> ConfigurationProblem {
        switch error as? YamlError {
        case .scanner(let context, let text, let mark, _), .parser(let context, let text, let mark, _),
            .composer(let context, let text, let mark, _):
            let surroundings = context.map { " (\($0.text) from line \($0.mark.line))" } ?? ""
            return problem(line: mark.line, "is not YAML: \(text)\(surroundings)")
        case .reader(let text, _, _, _):
            return problem(line: 1, "is not YAML: \(text)")
        case .duplicatedKeysInMapping(let names, let context):
            let list = names.map { "`\($0)`" }.joined(separator: ", ")
            return problem(line: context.mark.line, "has the key \(list) twice in one mapping; remove one of them")
        default:
            return problem(line: 1, "is not YAML: \(error)")
        }
    }

    private func problem(line: Int?, _ text: String) -> ConfigurationProblem {
        ConfigurationProblem(origin: .file(name, line: line), key: "", text: text)
    }

    private func problem(_ node: Node, _ key: String, _ text: String) -> ConfigurationProblem {
        ConfigurationProblem(origin: .file(name, line: node.mark?.line ?? 1), key: key, text: text)
    }
}

extension ConfigurationProblem: Error {}
