"""Models to tables, and what is injected for what, in the forms of each framework."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import ResearchResult, research
from sightline.store import Snapshot

Build = Callable[[Mapping[str, str]], Snapshot]

MODELS: dict[str, tuple[Mapping[str, str], Mapping[str, str]]] = {
    "SQLAlchemy": (
        {
            "db.py": (
                "from sqlalchemy.orm import DeclarativeBase\n\n\nclass Base(DeclarativeBase):\n    pass\n\n\n"
                'class User(Base):\n    __tablename__ = "users"\n\n    name: str\n'
            )
        },
        {"User": "users"},
    ),
    "Django": (
        {
            "blog/models.py": (
                "from django.db import models\n\n\nclass Dated(models.Model):\n"
                "    class Meta:\n        abstract = True\n\n\n"
                "class BlogPost(Dated):\n    title = models.TextField()\n\n\n"
                'class Tag(models.Model):\n    class Meta:\n        db_table = "labels"\n'
            )
        },
        {"BlogPost": "blog_blogpost", "Tag": "labels"},
    ),
    "JPA": (
        {
            "User.java": (
                'import jakarta.persistence.*;\n\n@Entity\n@Table(name = "users")\npublic class User {\n}\n\n'
                "@Entity\nclass OrderLine {\n}\n\nclass Plain {\n}\n"
            )
        },
        {"User": "users", "OrderLine": "order_line"},
    ),
    "TypeORM": (
        {
            "user.ts": (
                "import { Entity } from 'typeorm';\n\n@Entity('users')\nexport class User {\n  id: number;\n}\n\n"
                "@Entity({ name: 'photos' })\nexport class Photo {}\n\nexport class Plain {}\n"
            )
        },
        {"User": "users", "Photo": "photos"},
    ),
    "Active Record": (
        {
            "app/models/user.rb": "class User < ApplicationRecord\nend\n",
            "app/models/admin.rb": 'class Admin < ApplicationRecord\n  self.table_name = "people"\nend\n',
            "app/models/category.rb": "class BlogCategory < ApplicationRecord\nend\n",
        },
        {"User": "users", "Admin": "people", "BlogCategory": "blog_categories"},
    ),
    "Eloquent": (
        {
            "app/Models/Post.php": (
                "<?php\n\nnamespace App\\Models;\n\nuse Illuminate\\Database\\Eloquent\\Model;\n\n"
                "class BlogPost extends Model\n{\n}\n\n"
                "class Note extends Model\n{\n    protected $table = 'remarks';\n}\n"
            )
        },
        {"BlogPost": "blog_posts", "Note": "remarks"},
    ),
    "Entity Framework": (
        {
            "Shop.cs": (
                "using Microsoft.EntityFrameworkCore;\n\npublic class Shop : DbContext\n{\n"
                '    public DbSet<Order> Orders { get; set; }\n}\n\n[Table("lines")]\npublic class Line\n{\n}\n'
            )
        },
        {"Order": "Orders", "Line": "lines"},
    ),
    "GORM": (
        {"user.go": 'package shop\n\ntype User struct{}\n\nfunc (User) TableName() string {\n\treturn "users"\n}\n'},
        {"User": "users"},
    ),
}

INJECTED: dict[str, tuple[Mapping[str, str], str, str, str]] = {  # files, what is asked for, given, where it is asked
    "Spring": (
        {
            "A.java": (
                "import org.springframework.stereotype.*;\n\ninterface Mailer {}\n\n@Service\npublic class SmtpMailer"
                " implements Mailer {\n}\n\nclass Signup {\n  Signup(Mailer mailer) {\n  }\n}\n"
            )
        },
        "Mailer",
        "Mailer ← SmtpMailer A.java:",
        "A.java:10  Signup(Mailer mailer) {",
    ),
    "NestJS": (
        {
            "a.ts": (
                "import { Injectable, Module } from '@nestjs/common';\n\nexport abstract class Mailer {}\n\n"
                "@Injectable()\nexport class SmtpMailer extends Mailer {}\n\n"
                "@Module({ providers: [{ provide: Mailer, useClass: SmtpMailer }] })\nexport class App {}\n\n"
                "export class Signup {\n  constructor(private readonly mailer: Mailer) {}\n}\n"
            )
        },
        "Mailer",
        "Mailer ← SmtpMailer a.ts:",
        "a.ts:12  constructor(private readonly mailer: Mailer) {}",
    ),
    "ASP.NET": (
        {
            "A.cs": (
                "interface IMailer {}\nclass SmtpMailer : IMailer {}\nclass Signup\n{\n"
                "    public Signup(IMailer mailer) {}\n}\n"
            ),
            "Program.cs": "builder.Services.AddScoped<IMailer, SmtpMailer>();\n",
        },
        "IMailer",
        "IMailer ← SmtpMailer A.cs:2",
        "A.cs:5  public Signup(IMailer mailer) {}",
    ),
    "FastAPI": (
        {
            "a.py": (
                "from fastapi import Depends, FastAPI\n\napp = FastAPI()\n\n\ndef get_mailer():\n    return 1\n\n\n"
                "@app.get('/x')\ndef x(mailer=Depends(get_mailer)):\n    return mailer\n"
            )
        },
        "get_mailer",
        "get_mailer a.py:6",
        "a.py:11  def x(mailer=Depends(get_mailer)):",
    ),
}


def _ask(build: Build, embedder: Embedder, files: Mapping[str, str], question: str) -> ResearchResult:
    result = research(build(files), question, embedder=embedder)
    assert result.kind == "routes"
    return result


@pytest.mark.parametrize("framework", MODELS)
def test_models_are_listed_with_their_tables(build: Build, embedder: Embedder, framework: str) -> None:
    files, expected = MODELS[framework]
    result = _ask(build, embedder, files, "list all tables")
    facts = [fact for fact in result.facts if fact.kind == "table"]
    assert {fact.source: fact.target for fact in facts} == expected
    assert not any(fact.proven for fact in facts)


@pytest.mark.parametrize(
    "question",
    ["which model maps to table users?", "which table does User map to?", "which class is behind the users table?"],
)
def test_a_table_leads_to_its_model_and_back(build: Build, embedder: Embedder, question: str) -> None:
    result = _ask(build, embedder, MODELS["SQLAlchemy"][0], question)
    assert "User → table users  db.py:8" in result.text
    assert [symbol.name for symbol in result.symbols] == ["User"]


@pytest.mark.parametrize("framework", INJECTED)
def test_what_is_injected_is_told_with_who_asks_for_it(build: Build, embedder: Embedder, framework: str) -> None:
    files, key, given, asking = INJECTED[framework]
    result = _ask(build, embedder, files, f"what is injected for {key}?")
    assert given in result.text
    assert asking in result.text
    assert not any(fact.proven for fact in result.facts if fact.kind == "injects")


def test_without_a_framework_such_questions_are_open(build: Build, embedder: Embedder) -> None:
    snapshot = build({"a.py": "class User:\n    pass\n"})
    assert research(snapshot, "which table does User map to?", embedder=embedder).kind != "routes"
    assert research(snapshot, "what is injected for User?", embedder=embedder).kind != "routes"
